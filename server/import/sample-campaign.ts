import { join } from 'node:path';

/**
 * Archive of a small example campaign: five algorithms on functions of BBOB. It is next to this file, and next to the
 * bundled programs of the service.
 */
export const sampleCampaign = {
  path: join(import.meta.dirname, 'sample', 'bbob-sample.tar.gz'),
  name: 'bbob-sample',
};
