import { readFileSync } from 'node:fs';

const LAST_LINES = 25;

/** One line per finished step with its time; on a terminal also one moving line for what is running. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #running = new Map<string, number>();
  readonly #ticker: NodeJS.Timeout | undefined;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    this.#ticker = out.isTTY ? setInterval(() => this.#draw(), 1000).unref() : undefined;
  }

  start(name: string): void {
    this.#running.set(name, performance.now());
    this.#draw();
  }

  end(name: string, result: string): void {
    const seconds = (performance.now() - (this.#running.get(name) ?? performance.now())) / 1000;
    this.#running.delete(name);
    this.#clear();
    this.#out.write(`${name.padEnd(36)} ${result.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s\n`);
    this.#draw();
  }

  close(): void {
    clearInterval(this.#ticker);
    this.#clear();
  }

  #draw(): void {
    if (!this.#out.isTTY) return;
    const now = performance.now();
    const running = [...this.#running].map(([name, since]) => `${name} ${((now - since) / 1000).toFixed(0)} s`);
    this.#clear();
    this.#out.write(running.length === 0 ? '' : `… ${running.join(', ')}`.slice(0, this.#out.columns - 1));
  }

  #clear(): void {
    if (this.#out.isTTY) this.#out.write('\r\u001b[K');
  }
}

/** The end of a log, indented: what a reader needs to see first. */
export function tail(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
  return lines.map((line) => `    ${line}`).join('\n');
}
