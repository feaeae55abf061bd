import type { RenderOptions } from '../render.ts';
import { sampleNads } from './sample-nads.ts';

/** What a renderer is told besides the plan. */
export const sampleOptions: RenderOptions = {
  nads: sampleNads,
  platform: 'kubernetes',
  image: 'registry.example.com/hcpio/edge:1',
  proberImage: 'registry.example.com/hcpio/operator:1',
  operatorNamespace: 'hcpio-system',
  authorities: {},
};
