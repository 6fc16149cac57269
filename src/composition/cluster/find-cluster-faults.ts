import type { Config } from '../../config/config.ts'
import type { ConfigFault } from '../../config/setting-sources.ts'

/** Characters that the nodes' secret has at least. */
export const leastSecretLength = 16

const databaseSettings = ['database-url', 'database-url-file']
const certificateSettings = ['node-authority-file', 'node-certificate-file', 'node-key-file']

/** Whether one of the two is missing that make a node one of a cluster. */
export function findHalfCluster({ database, outputs }: Pick<Config, 'database' | 'outputs'>): readonly ConfigFault[] {
  const [shared, bucket] = [database.type === 'postgres', outputs.type === 's3']
  if (shared === bucket) return []
  return shared
    ? [{ where: 's3-url', message: 'Nodes of one database keep outputs in one bucket; set s3-url beside database-url, or neither.' }]
    : [
        {
          where: 'database-url',
          message: 'Nodes of one bucket share a database; set database-url beside s3-url, or neither.',
          settings: databaseSettings,
        },
      ]
}

/** Which settings of a cluster lack others, though each for itself is well written. */
export function findClusterFaults({
  database,
  outputs,
  cluster: { role, secret, secretFile, nodeUrl, authorityFile, certificateFile, keyFile },
}: Pick<Config, 'database' | 'outputs' | 'cluster'>): readonly ConfigFault[] {
  const [shared, bucket] = [database.type === 'postgres', outputs.type === 's3']
  const certificate = [authorityFile, certificateFile, keyFile]
  const [named, complete] = [certificate.some((path) => path !== null), certificate.every((path) => path !== null)]
  const found: readonly (readonly [isFault: boolean, where: string, message: string, settings?: readonly string[]])[] = [
    [
      outputs.type === 's3' && outputs.address.secretKey === '' && outputs.secretFile === null,
      's3-secret-file',
      'The secret of s3-url is missing; write https://key:secret@host/bucket, or name the file that holds it.',
    ],
    [
      role !== 'all' && !(shared && bucket),
      'role',
      `A node that is only ${role} needs others; set database-url and s3-url, or leave role out.`,
      [...databaseSettings, 's3-url'],
    ],
    [
      shared && bucket && secret === null && secretFile === null && !named,
      'cluster-secret',
      `Nodes tell each other from strangers by a secret; set one of at least ${leastSecretLength} characters, the same on all, or cluster-secret-file.`,
      ['cluster-secret', 'cluster-secret-file', ...certificateSettings],
    ],
    [
      named && !complete,
      'node-certificate-file',
      'A node proves itself by three files; set node-authority-file, node-certificate-file and node-key-file, or none of them.',
      certificateSettings,
    ],
    [
      nodeUrl !== null && nodeUrl.startsWith('https:') !== named,
      'node-url',
      named
        ? 'Nodes with certificates talk over TLS; write node-url with https.'
        : 'TLS between nodes needs certificates; set node-authority-file, node-certificate-file and node-key-file, or write node-url with http.',
      certificateSettings,
    ],
    [
      secret !== null && secret.length < leastSecretLength,
      'cluster-secret',
      `A secret that others may try to guess must be longer; write at least ${leastSecretLength} characters.`,
    ],
  ]
  return [
    ...findHalfCluster({ database, outputs }),
    ...found.flatMap(([isFault, where, message, settings = [where]]) => (isFault ? [{ where, message, settings }] : [])),
  ]
}
