/** What stops a command and is no finding: a wrong argument, an unreadable file. Told in one line; exit status 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
