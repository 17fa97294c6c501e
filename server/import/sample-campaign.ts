import { join } from 'node:path';

/**
 * Archive and data set name of a small sample campaign: five algorithms on functions of BBOB. The archive is in the
 * folder `sample` next to this file, and next to the bundled programs of the service.
 */
export const sampleCampaign = {
  path: join(import.meta.dirname, 'sample', 'bbob-sample.tar.gz'),
  name: 'bbob-sample',
};
