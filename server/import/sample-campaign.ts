import { join } from 'node:path';

/**
 * Path of the archive and name of the data set of a small sample campaign: five algorithms on functions of BBOB. The
 * folder `sample`, which contains the archive, is next to this file or, in a bundle, next to the programs of the
 * service.
 */
export const sampleCampaign = {
  path: join(import.meta.dirname, 'sample', 'bbob-sample.tar.gz'),
  name: 'bbob-sample',
};
