export const STORAGE_CLASS = 'local-path';
export const PROVISIONER = 'hcpio.io/lab-local-path';
