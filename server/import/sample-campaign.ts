import { join } from 'node:path';

/**
 * The archive of a small campaign to look around in: five algorithms on functions of BBOB. It lies beside this, and
 * beside the programs of the service's bundle.
 */
export const sampleCampaign = {
  path: join(import.meta.dirname, 'sample', 'bbob-sample.tar.gz'),
  name: 'bbob-sample',
};
