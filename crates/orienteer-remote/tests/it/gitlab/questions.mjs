// What we ask of GitLab, asked with gitbeaker: one question for each address. Its requests judge ours, and the types of its
// answers and parameters are made into schemas. The values are those that `requests.rs` asks with.

const project = 'group/sub/name';
const commit = 'a1e8f8d745cc87e3a9248358d9352bb7f9a0aeba';
const file = 'app/a b#%.rb';
const text = 'installation extension:md filename:READ* path:doc';

/** One page is asked for: gitbeaker would go on to the next. @type {{ pagination: 'offset', maxPages: 1 }} */
const one = { pagination: 'offset', maxPages: 1 };
const second = { ...one, perPage: 20, page: 2 };
const first = { ...one, perPage: 30, page: 1 };
const all = { ...one, perPage: 100, page: 1 };

/** @type {{ search: string, topic: string, orderBy: any, sort: 'desc' }} The order is one that its types leave out. */
const found = { search: 'flight', topic: 'js,web', orderBy: 'star_count', sort: 'desc' };
const active = { lastActivityAfter: '2018-01-01T00:00:00Z', lastActivityBefore: '2018-12-31T23:59:59Z' };

/** @type {{ scope: 'all', orderBy: 'updated_at', sort: 'desc' }} */
const newest = { scope: 'all', orderBy: 'updated_at', sort: 'desc' };
const filtered = {
  ...newest,
  search: 'fix it',
  authorUsername: 'kim',
  assigneeUsername: 'lee',
  labels: 'bug,ui',
  wip: 'yes',
  createdAfter: '2017-01-01T00:00:00Z',
  createdBefore: '2017-12-31T23:59:59Z',
  updatedAfter: '2017-06-01T00:00:00Z',
  updatedBefore: '2017-06-30T23:59:59Z',
};

/** @param {import('@gitbeaker/rest').Gitlab} gitlab */
export const questions = (gitlab) => ({
  project: () => gitlab.Projects.show(project),
  commit: () => gitlab.Commits.show(project, 'trunk'),
  commits: () => gitlab.Commits.all(project, { refName: commit, path: file, perPage: 1, maxPages: 1 }),
  tree: () =>
    gitlab.Repositories.allRepositoryTrees(project, {
      ref: commit,
      perPage: 100,
      pagination: 'keyset',
      path: 'lib',
      recursive: true,
      maxPages: 1,
    }),
  file: () => gitlab.RepositoryFiles.show(project, file, commit),
  raw: () => gitlab.RepositoryFiles.showRaw(project, file, commit),
  code: () => gitlab.Search.all('blobs', text, second),
  code_of_group: () => gitlab.Search.all('blobs', text, { ...second, groupId: 'group/sub' }),
  code_of_project: () => gitlab.Search.all('blobs', text, { ...second, projectId: project }),
  projects: () => gitlab.Projects.all({ ...first, ...found, ...active, withProgrammingLanguage: 'Ruby' }),
  projects_of_group: () => gitlab.Groups.allProjects('a/b', { ...first, ...found, ...active, includeSubgroups: true }),
  projects_of_user: () => gitlab.Users.allProjects('kim', { ...first, ...found, ...active }),
  changes: () => gitlab.MergeRequests.all({ ...first, ...newest, state: 'merged' }),
  changes_of_group: () => gitlab.MergeRequests.all({ ...first, ...newest, state: 'closed', groupId: 'group/sub' }),
  changes_of_project: () => gitlab.MergeRequests.all({ ...first, ...filtered, state: 'opened', projectId: project }),
  change: () => gitlab.MergeRequests.show(project, 5),
  notes: () => gitlab.MergeRequestNotes.all(7, 5, { ...all, sort: 'asc', orderBy: 'created_at' }),
  commits_of_change: () => gitlab.MergeRequests.allCommits(7, 5, all),
  diffs: () => gitlab.MergeRequests.allDiffs(7, 5, all),
  older_diffs: () => gitlab.MergeRequests.showChanges(7, 5),
});
