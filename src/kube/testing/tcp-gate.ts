/** A door between a client and a server on loopback that a test can shut: new connections are refused and open ones are cut. */
import net, { type AddressInfo, type Socket } from 'node:net';

export class TcpGate {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  #open = true;

  private constructor(port: number) {
    this.#server = net.createServer((client) => {
      if (!this.#open) {
        client.resetAndDestroy();
        return;
      }
      const upstream = net.connect(port, '127.0.0.1');
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  static async to(port: number): Promise<TcpGate> {
    const gate = new TcpGate(port);
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  shut(): void {
    this.#open = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  open(): void {
    this.#open = true;
  }

  async close(): Promise<void> {
    this.shut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
