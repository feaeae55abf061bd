/** The version of this program; a test holds it to package.json, which a bundle does not carry along. */
export const VERSION = '0.1.0';
