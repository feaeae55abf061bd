/** A terminal on the serial console of a worker VM: `node console.ts SOCKET`. Ctrl-] leaves, as in telnet. */
import { connect } from 'node:net';

const LEAVE = 0x1d;
const [path = ''] = process.argv.slice(2);
const socket = connect(path);
const leave = () => {
  if (process.stdin.isTTY) process.stdin.setRawMode(false);
  process.exit();
};

if (process.stdin.isTTY) {
  process.stdin.setRawMode(true);
  process.stderr.write('connected to the console; Ctrl-] leaves\n');
}
process.stdin.on('data', (keys: Buffer) => {
  if (keys.includes(LEAVE)) leave();
  else socket.write(keys);
});
process.stdin.on('end', leave);
socket.pipe(process.stdout);
socket.on('close', leave);
socket.on('error', (error) => {
  process.stderr.write(`${path}: ${error.message}\n`);
  process.exitCode = 1;
});
socket.on('connect', () => socket.write('\n'));
