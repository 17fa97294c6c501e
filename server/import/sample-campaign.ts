import { join } from 'node:path';

/**
 * The archive of a small campaign to explore: five algorithms on functions of BBOB. It is in the folder of this file, and
 * in that of the programs of the service's bundle.
 */
export const sampleCampaign = {
  path: join(import.meta.dirname, 'sample', 'bbob-sample.tar.gz'),
  name: 'bbob-sample',
};
