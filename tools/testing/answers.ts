import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';

/** Whether a GET of a readiness URL on loopback gives 200 now; a refused or broken connection is a no. */
export async function answers(url: string, token?: string): Promise<boolean> {
  const get = url.startsWith('https:') ? httpsGet : httpGet;
  return new Promise((resolve) => {
    const request = get(
      url,
      {
        agent: false,
        timeout: 5000,
        // Only whether it is up is asked here, and its certificate may not be there to be read yet.
        rejectUnauthorized: false,
        ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
      },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
