/** The tables of a runner before version 3, with rows; valid in both databases. */
export const olderRunner = [
  `create table runs (run_id text primary key, algorithm_id text not null, problem_class text, genotype_type text,
    population_size integer, max_generations integer, config_hash text, seed bigint, started_at text,
    completed_at text, total_generations integer, best_fitness double precision, best_individual text,
    total_duration_ms bigint, status text)`,
  'create table generation_stats (id integer primary key, run_id text references runs(run_id), generation integer, best_fitness double precision)',
  'create index older_status on runs (status)',
  "insert into runs (run_id, algorithm_id, best_fitness, status) values ('a', 'umda', 1.5, 'COMPLETED'), ('b', 'pbil', null, 'FAILED')",
  "insert into generation_stats values (1, 'a', 0, 0.5), (2, 'a', 1, 1.5)",
];

/** Tables as other programs make them, reduced to the parts that resemble the runner's. */
export const otherPrograms = {
  Dagster: [
    'create table runs (id integer primary key, run_id varchar(255) unique, snapshot_id varchar(255), pipeline_name text, status varchar(63), run_body text)',
    'create table run_tags (id integer primary key, run_id varchar(255) references runs(run_id) on delete cascade, key text, value text)',
    "insert into runs values (1, 'd1', 's', 'p', 'SUCCESS', '{}'), (2, 'd2', 's', 'p', 'FAILURE', '{}')",
    "insert into run_tags values (1, 'd1', 'k', 'v')",
  ],
  MLflow: [
    'create table experiments (experiment_id integer primary key, name varchar(256), lifecycle_stage text)',
    'create table runs (run_uuid varchar(32) primary key, name text, experiment_id integer references experiments(experiment_id))',
    "insert into experiments values (0, 'Default', 'active')",
    "insert into runs values ('m1', 'first', 0)",
  ],
  Optuna: [
    'create table studies (study_id integer primary key, study_name varchar(512))',
    'create table trials (trial_id integer primary key, number integer, study_id integer references studies(study_id), state varchar(8))',
    "insert into studies values (1, 'study')",
    "insert into trials values (1, 0, 1, 'COMPLETE')",
  ],
  'a browser': [
    'create table moz_places (id integer primary key, url text, title text)',
    'create table moz_historyvisits (id integer primary key, place_id integer)',
    "insert into moz_places values (1, 'https://example.org', 'Example')",
  ],
};
