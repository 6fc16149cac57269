import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findClusterFaults, findOpenFaults } from './start-faults.ts'

type Settings = Parameters<typeof findClusterFaults>[0]

const address = { endpoint: 'https://s3', bucket: 'b', region: 'us-east-1', accessKey: 'k', secretKey: 's' }
const alone: Settings = {
  database: { type: 'embedded' },
  outputs: { type: 'filesystem' },
  cluster: { role: 'all', secret: null, secretFile: null, nodeUrl: null, authorityFile: null, certificateFile: null, keyFile: null },
}
const certificate = { authorityFile: '/ca.pem', certificateFile: '/node.pem', keyFile: '/node.key' }
const database = { type: 'postgres', url: 'postgres://db/x', urlFile: null } as const
const outputs = { type: 's3', address, secretFile: null } as const
const together: Settings = { database, outputs, cluster: { ...alone.cluster, secret: 'sixteen letters!' } }

const cases: readonly (readonly [what: string, settings: Settings, faults: readonly string[]])[] = [
  ['a single machine', alone, []],
  ['a node among others', together, []],
  ['a database without a bucket', { ...alone, database }, ['s3-url']],
  ['a bucket without a database', { ...alone, outputs }, ['database-url']],
  ['no secret', { ...together, cluster: alone.cluster }, ['cluster-secret']],
  ['a secret in a file', { ...together, cluster: { ...alone.cluster, secretFile: '/run/secret' } }, []],
  ['a short secret', { ...together, cluster: { ...alone.cluster, secret: 'short' } }, ['cluster-secret']],
  ['a bucket without its secret', { ...together, outputs: { ...outputs, address: { ...address, secretKey: '' } } }, ['s3-secret-file']],
  ['certificates instead of a secret', { ...together, cluster: { ...alone.cluster, ...certificate } }, []],
  [
    'a certificate without its key',
    { ...together, cluster: { ...alone.cluster, ...certificate, keyFile: null } },
    ['node-certificate-file'],
  ],
  ['certificates and a plain address', { ...together, cluster: { ...alone.cluster, ...certificate, nodeUrl: 'http://a:1' } }, ['node-url']],
  ['TLS without certificates', { ...together, cluster: { ...together.cluster, nodeUrl: 'https://a:1' } }, ['node-url']],
  ['a cluster role without a cluster', { ...alone, cluster: { ...alone.cluster, role: 'worker' } }, ['role']],
]

for (const [what, settings, faults] of cases)
  test(`${what}: ${faults.length === 0 ? 'starts' : `reports ${faults.join(', ')}`}`, () => {
    assert.deepEqual(
      findClusterFaults(settings).map(({ where }) => where),
      faults,
    )
  })

const open: Parameters<typeof findOpenFaults>[0] = {
  listen: { host: '127.0.0.1', openOnLoopback: true, allowedHosts: [], trustedProxies: [] },
  addresses: { publicUrl: null, imageUrl: null, asyncUrl: null, textUrl: null },
} as never

for (const [what, { listen = {}, addresses = {} }, faults] of [
  ['on this machine only', {}, []],
  ['by name', { listen: { host: 'LocalHost' } }, []],
  ['over IPv6', { listen: { host: '::1' } }, []],
  ['on another loopback address', { listen: { host: '127.1.2.3' } }, []],
  ['on all addresses', { listen: { host: '0.0.0.0' } }, ['host']],
  ['on a name that begins like one', { listen: { host: '127.0.0.1.example' } }, ['host']],
  [
    'under public addresses',
    { addresses: { publicUrl: 'https://a', imageUrl: 'https://b', asyncUrl: 'https://c', textUrl: 'https://d' } },
    ['public-url', 'image-url', 'async-url', 'text-url'],
  ],
  ['for other hosts', { listen: { allowedHosts: ['sepia.example'] } }, ['allowed-hosts']],
  ['behind a proxy', { listen: { trustedProxies: ['10.0.0.1'] } }, ['trusted-proxies']],
] as const)
  test(`open to local programs ${what}: ${faults.length === 0 ? 'starts' : `reports ${faults.join(', ')}`}`, () => {
    const settings = { listen: { ...open.listen, ...listen }, addresses: { ...open.addresses, ...addresses } } as typeof open
    const found = findOpenFaults(settings)
    assert.deepEqual(
      found.map(({ where }) => where),
      faults,
    )
    for (const { message } of found) assert.match(message, /need no token \(open-on-loopback\), so .*, or turn open-on-loopback off\.$/)
    const closed = { ...settings, listen: { ...settings.listen, openOnLoopback: false } }
    assert.deepEqual(findOpenFaults(closed), [])
  })
