/** A clock that runs ahead, for what takes minutes by design: pauses, deadlines and memories all end that much sooner. */
import { type Clock, systemClock } from '../../src/kube/clock.ts';

export const hurried = (times: number): Clock => ({
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * times,
  after: (ms, callback) => systemClock.after(ms / times, callback),
});
