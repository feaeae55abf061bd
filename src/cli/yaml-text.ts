import { stringify } from 'yaml';

/**
 * YAML that every reader understands alike: kubectl still takes YAML 1.1, where a bare `yes`, `on` or `1:30` is no text, so
 * whatever either version would misread is quoted. Lines are never folded, so that text can be searched.
 */
export const toYaml = (value: unknown): string => stringify(value, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false });
