import { ProblemError, truncate } from '#server/errors.ts';
import type { Database } from '#server/db/database.ts';
import * as repository from '#server/repositories/data-sets.ts';
import type { DeletionQuery } from '#shared/schemas/experiment.ts';
import type { DataSet, DataSetDeletion, DataSetDeletionPreview } from '#shared/schemas/import.ts';
import { deleteSet, previewSet, type DeletionSet, type DeletionDependencies } from './deletion.ts';

/**
 * Returns the imported data sets by name, each with the campaigns that belong only to it. Omits a data set if no
 * experiment belongs only to it.
 */
export async function listDataSets(database: Database): Promise<DataSet[]> {
  const dataSets = await repository.listDataSets(database);
  const campaigns = await repository.listCampaignsOfDataSets(database);
  return dataSets.map((dataSet) => ({
    ...dataSet,
    campaigns: campaigns
      .filter((campaign) => campaign.dataSet === dataSet.name)
      .map(({ campaignId, suite }) => ({ campaignId, suite })),
  }));
}

/**
 * Deletes the campaigns and experiments that belong only to a data set; see {@link deleteSet}. The events about its
 * imports remain. Throws DATASET_NOT_FOUND.
 */
export async function deleteDataSet(
  dependencies: DeletionDependencies,
  name: string,
  options: DeletionQuery,
): Promise<DataSetDeletion> {
  return { name, ...(await deleteSet(dependencies, makeDeletionSet(name), options)) };
}

/** Returns the preview of {@link deleteDataSet}; see {@link previewSet}. Throws DATASET_NOT_FOUND. */
export async function previewDataSetDeletion(
  dependencies: DeletionDependencies,
  name: string,
): Promise<DataSetDeletionPreview> {
  return { name, ...(await previewSet(dependencies, makeDeletionSet(name))) };
}

function makeDeletionSet(name: string): DeletionSet {
  return {
    id: name,
    displayName: `data set "${truncate(name)}"`,
    listCampaigns: (kysely) => repository.listImportedCampaigns({ kysely }, name),
    listExperiments: (kysely, campaignIds) =>
      repository.listImportedExperiments({ kysely }, name, campaignIds),
    makeNotFoundError: () =>
      new ProblemError(
        'DATASET_NOT_FOUND',
        `No experiment or campaign belongs only to data set "${truncate(name)}". Select another data set`,
      ),
  };
}
