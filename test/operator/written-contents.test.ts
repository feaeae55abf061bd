import { expect, test } from 'vitest';
import type { WireObject } from '../../src/kube/object.ts';
import type { Write } from './audit.ts';
import { complaints } from './written-contents.ts';

const write = (resource: string, body: object | undefined, change: Partial<Write> = {}): Write => ({
  ...{ verb: 'patch', group: '', resource, namespace: 'edge', name: 'x', code: 200, user: '', at: '', body },
  ...change,
});
const map = (text: string) => ({ kind: 'ConfigMap', metadata: { name: 'x', namespace: 'edge' }, data: { text } });
const status = (message: string, lastTransitionTime: string) => ({
  status: { conditions: [{ type: 'Ready', message, lastTransitionTime }] },
});

test('an object of the plan may be written again, but with one content, and that is what stands', () => {
  const again = [write('configmaps', map('a')), write('configmaps', map('a'))];
  expect(complaints(again, [map('a') as unknown as WireObject])).toEqual([]);
  expect(complaints(again, [map('b') as unknown as WireObject])).toEqual(['configmaps edge/x does not say what was written last']);
  expect(complaints([...again, write('configmaps', map('b'))], [])).toEqual([
    expect.stringContaining('configmaps edge/x was written with several contents'),
  ]);
});

test('a status may go on, but not back; when it was said does not matter', () => {
  const said = ['waiting', 'waiting', 'done'].map((message, index) => write('tenantnetworks/status', status(message, `${index}`)));
  expect(complaints(said, [])).toEqual([]);
  expect(complaints([...said, write('tenantnetworks/status', status('waiting', '9'))], [])).toEqual([
    expect.stringContaining('tenantnetworks/status edge/x went back to what it was before'),
  ]);
});

test('what was turned away, and the word that the API server failed, are no contents', () => {
  const trouble = write('tenantnetworks/status', { status: { conditions: [{ reason: 'ApiTrouble' }] } });
  const said = write('tenantnetworks/status', status('waiting', '1'));
  expect(complaints([said, trouble, said], [])).toEqual([]);
  expect(complaints([write('configmaps', map('a'), { code: 409 }), write('configmaps', map('b'))], [])).toEqual([]);
  expect(complaints([write('configmaps', undefined, { code: 503 }), write('configmaps', map('b'))], [])).toEqual([]);
});

test('an object that is deleted and made again was written back and forth', () => {
  const gone = write('nodepools', undefined, { verb: 'delete' });
  expect(complaints([write('nodepools', map('a')), gone, write('nodepools', map('a'))], []).length).toBe(1);
});

test('what cannot be changed may be deleted and made anew, with the content that failed before', () => {
  const failed = write('statefulsets', map('b'), { code: 504 });
  const gone = write('statefulsets', undefined, { verb: 'delete' });
  expect(complaints([failed, gone, write('statefulsets', map('b'))], [])).toEqual([]);
});

test('what was said before the plan changed may be said once more, but not after something new', () => {
  const [old, fresh] = [write('configmaps', map('a')), write('configmaps', map('b'))];
  expect(complaints([old, fresh], [], [old])).toEqual([]);
  expect(complaints([fresh, old], [], [old]).length).toBe(1);
});
