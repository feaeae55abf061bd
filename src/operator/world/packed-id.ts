/**
 * Ids that are written as text and mean sixteen bytes, kept as those bytes: a uid is a third of its size then. There are fifty thousand
 * of them at a thousand tenants. What only looks like an id stays the text that it is.
 */

export interface IdForm {
  readonly bytes: (text: string) => Buffer | undefined;
  readonly text: (bytes: Buffer) => string;
}

const UUID_TEXT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const UUID: IdForm = {
  bytes: (text) => (UUID_TEXT.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : undefined),
  text: (bytes) => {
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  },
};

/** As `hashOf` writes them. The last character carries two bits, so only four of them can stand there. */
const HASH_TEXT = /^[\w-]{21}[AQgw]$/;

export const HASH: IdForm = {
  bytes: (text) => (HASH_TEXT.test(text) ? Buffer.from(text, 'base64url') : undefined),
  text: (bytes) => bytes.toString('base64url'),
};

/** Before sixteen bytes. Any other first character is the length of the text that follows. */
const BYTES = '\0';
const LENGTH = 16;

/** With its length, so that it can be followed by more. Joined and not added up: that would be a rope, which is larger than both. */
export function packId(text: string, form: IdForm): string {
  const bytes = form.bytes(text);
  return bytes ? [BYTES, bytes.toString('latin1')].join('') : [String.fromCharCode(text.length + 1), text].join('');
}

/** The id that begins at `start`. */
export function unpackId(packed: string, form: IdForm, start = 0): string {
  if (packed[start] === BYTES) return form.text(Buffer.from(packed.slice(start + 1, start + 1 + LENGTH), 'latin1'));
  return packed.slice(start + 1, endOfId(packed, start));
}

/** Where the id that begins at `start` ends. */
export function endOfId(packed: string, start = 0): number {
  return packed[start] === BYTES ? start + 1 + LENGTH : start + packed.charCodeAt(start);
}
