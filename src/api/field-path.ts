/** Where a field is: `['spec', 'segment', 'cidrs', 0]`, written `spec.segment.cidrs[0]`. */
export type FieldPath = readonly (string | number)[];

const PLAIN_KEY = /^[A-Za-z_][-\w]*$/;

/** Keys that hold dots or other unusual characters are quoted: `metadata.annotations["hcpio.io/tenant-network"]`. */
export const formatPath = (path: FieldPath): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!PLAIN_KEY.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

const STEP = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\[([^\]"]*)\]|([^.[\]]+)/g;

/** The reverse of formatPath. `[APIServer]` is kept as the text `APIServer`: it picks a list element by its name. */
export const parsePath = (text: string): FieldPath =>
  [...text.matchAll(STEP)].map(([, quoted, index, picked, key]) => {
    if (quoted !== undefined) return JSON.parse(`"${quoted}"`) as string;
    if (index !== undefined) return Number(index);
    return picked ?? key ?? '';
  });
