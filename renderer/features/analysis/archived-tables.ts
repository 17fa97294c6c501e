/** The tables of a problem comparison in the archive of a page. */
export const comparisonTables = [
  { table: 'groups', title: 'Groups' },
  { table: 'pairs', title: 'Pairs of groups, by measure' },
  { table: 'ranks', title: 'Average ranks' },
];
