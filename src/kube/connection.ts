/** Where the API server is and how we show who we are: the seam between the transport and the ways of being configured. */

export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name to expect in the server's certificate when it differs from the host that is dialled. */
  readonly servername?: string;
  readonly insecureSkipVerify?: boolean;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface Credentials {
  /** A list is sent as repeated headers. */
  readonly headers: Headers;
  readonly tls: TlsMaterial;
}

export interface Connection {
  readonly server: URL;
  readonly proxyUrl?: string;
  /** What to send with the next request. Cheap: re-reads its sources only when they are due. */
  credentials(signal: AbortSignal): Promise<Credentials>;
  /** The server did not accept them (401), or its certificate did not fit the CA: read the sources again before the next request. */
  invalidate(): void;
}

/** Reads a text file. A parameter, so that rotation can be tested without a disk and a pod. */
export type ReadFile = (path: string, signal: AbortSignal) => Promise<string>;

/** Keeps the identity of TLS material over re-reads that brought nothing new: other material means other connections. */
export class TlsMemo {
  #last: TlsMaterial = {};

  settle(next: TlsMaterial): TlsMaterial {
    const last = this.#last;
    const same =
      last.ca === next.ca &&
      last.cert === next.cert &&
      last.key === next.key &&
      last.servername === next.servername &&
      last.insecureSkipVerify === next.insecureSkipVerify;
    if (!same) this.#last = next;
    return this.#last;
  }
}
