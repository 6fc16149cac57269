import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { parseConfig } from '../../src/config/load-config.ts'
import { openHelm, withoutHelm } from '../support/deploy/helm.ts'
import { findManifestFaults } from '../support/deploy/kubernetes-schema.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const chart = 'deploy/helm'
const values = {
  databaseUrl: 'postgres://u:p@db/sepia',
  s3Secret: 'hidden',
  clusterSecret: 'sixteen letters!',
  s3Url: 'https://key@s3.example/bucket',
}
const everything = {
  ...values,
  publicUrl: 'https://sepia.example',
  nodeCertificateSecret: 'node-certificate',
  settings: { SEPIA_QUEUE: '50000' },
  imagePullSecrets: [{ name: 'registry' }],
  api: { autoscaling: { enabled: true }, nodeSelector: { pool: 'small' } },
  worker: {
    autoscaling: { enabled: true },
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
    models: { folders: '/models', volumes: [{ name: 'models', emptyDir: {} }], mounts: [{ name: 'models', mountPath: '/models' }] },
    storage: { className: 'fast' },
  },
  ingress: { enabled: true, host: 'sepia.example', tlsSecret: 'tls', className: 'nginx', annotations: { a: 'b' } },
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: { readonly template: { readonly spec: PodSpec }; readonly replicas?: number }
}

interface PodSpec {
  readonly enableServiceLinks: boolean
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[]
}

suite('the Helm chart', { skip: withoutHelm }, () => {
  const parts = new AsyncDisposableStack()
  let folder = ''
  let helm: Awaited<ReturnType<typeof openHelm>>

  before(async () => {
    folder = parts.use(await createTemporaryFolder()).path
    helm = await openHelm(folder)
  })
  after(() => parts.disposeAsync())

  async function render(given: object, release = 'sepia'): Promise<readonly Manifest[]> {
    const file = join(folder, `${crypto.randomUUID()}.json`)
    await writeFile(file, JSON.stringify(given))
    const text = await helm('template', release, chart, '--values', file, '--kube-version', '1.29.0')
    return parseAllDocuments(text).flatMap((document) => {
      assert.deepEqual(document.errors, [])
      return [document.toJS() as Manifest]
    })
  }

  test('is well formed', async () => {
    const file = join(folder, 'lint.json')
    await writeFile(file, JSON.stringify(values))
    assert.match(await helm('lint', chart, '--strict', '--values', file), /0 chart\(s\) failed/)
  })

  for (const [what, given] of [
    ['with what it needs', values],
    ['with everything', everything],
  ] as const)
    test(`renders valid Kubernetes manifests, ${what}`, async () => {
      const manifests = await render(given)
      for (const manifest of manifests)
        assert.deepEqual(await findManifestFaults(manifest), [], `${manifest.kind} ${manifest.metadata.name}`)
      const kinds = manifests.map(({ kind }) => kind).sort()
      const always = [
        'Deployment',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'PodDisruptionBudget',
        'Secret',
        'Service',
        'Service',
        'StatefulSet',
      ]
      const more = given === everything ? ['HorizontalPodAutoscaler', 'HorizontalPodAutoscaler', 'Ingress'] : []
      assert.deepEqual(kinds, [...always, ...more].sort())
    })

  test('an invalid Kubernetes manifest is detected', async () => {
    const deployment = (await render(values)).find(({ kind }) => kind === 'Deployment')
    assert.ok(deployment !== undefined)
    const { spec } = deployment
    assert.match((await findManifestFaults({ ...deployment, spec: { ...spec, replicas: 'two' } } as never)).join(), /integer/)
    const misspelt = { ...spec.template, spec: { ...spec.template.spec, enableServiceLink: false } }
    const faults = await findManifestFaults({ ...deployment, spec: { ...spec, template: misspelt } } as never)
    assert.deepEqual(faults, ['/spec/template/spec/enableServiceLink is not in the schema'])
  })

  test('gives each role valid settings, without the environment variables of Kubernetes services', async () => {
    const manifests = await render(everything)
    for (const [kind, role] of [
      ['Deployment', 'api'],
      ['StatefulSet', 'worker'],
    ]) {
      const pod = manifests.find((manifest) => manifest.kind === kind)?.spec.template.spec
      assert.ok(pod !== undefined)
      assert.equal(pod.enableServiceLinks, false)
      const environment = Object.fromEntries(pod.containers.flatMap(({ env }) => env.map(({ name, value = '' }) => [name, value])))
      const machine = { cores: 2, memoryBytes: 1e10, terminal: false, folder: '/' }
      const nodeUrl = environment.SEPIA_NODE_URL?.replace('$(POD_IP)', '10.0.0.5')
      const given = { ...environment, ...(nodeUrl !== undefined && { SEPIA_NODE_URL: nodeUrl }) }
      const parsed = parseConfig({ flags: {}, environment: given, file: null }, machine)
      assert.ok('config' in parsed, JSON.stringify(parsed))
      assert.equal(parsed.config.cluster.role, role)
      assert.equal(parsed.config.deferred.queue, 50_000)
      assert.ok(pod.terminationGracePeriodSeconds * 1000 > parsed.config.requests.graceMs + 8000)
    }
  })

  test('keeps secrets out of everything except the secret', async () => {
    for (const manifest of await render(everything))
      if (manifest.kind !== 'Secret') assert.doesNotMatch(JSON.stringify(manifest), /hidden|sixteen letters|u:p@db/)
    const own = await render({ s3Url: values.s3Url, existingSecret: 'mine' })
    assert.ok(own.every(({ kind }) => kind !== 'Secret'))
    assert.match(JSON.stringify(own), /"secretName":"mine"/)
  })

  test('restarts pods only if a value of the secret changes', async () => {
    const podsOf = async (given: object) =>
      (await render(given)).flatMap(({ kind, spec }) =>
        kind === 'Deployment' || kind === 'StatefulSet' ? [JSON.stringify(spec.template)] : [],
      )
    const before = await podsOf(values)
    assert.equal(before.length, 2)
    assert.deepEqual(await podsOf(values), before)
    for (const [index, pod] of (await podsOf({ ...values, s3Secret: 'another' })).entries()) assert.notEqual(pod, before[index])
  })

  test('gives services a name without dots, and numbers as written', async () => {
    const manifests = await render({ ...values, settings: { SEPIA_QUEUE: 5_000_000, SEPIA_LOG: 'json' } }, 'my.release')
    const names = manifests.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name)
    assert.deepEqual(names.sort(), ['my-release', 'my-release-worker'])
    const pods = manifests.filter(({ kind }) => kind === 'Deployment').flatMap(({ spec }) => spec.template.spec.containers)
    const queues = pods.flatMap(({ env }) => env.filter(({ name }) => name === 'SEPIA_QUEUE').map(({ value }) => value))
    assert.deepEqual(queues, ['5000000'])
  })

  for (const [what, given, message] of [
    ['a name that it does not know', { workers: { replicas: 2 } }, /workers/],
    ['one inside another', { worker: { replica: 2 } }, /replica/],
    ['a word for a number', { api: { replicas: 'two' } }, /api.replicas/],
    ['fewer than none', { worker: { replicas: -1 } }, /worker.replicas/],
    ['a time with its unit', { api: { graceSeconds: '30s' } }, /api.graceSeconds/],
    ['a list of settings', { settings: ['SEPIA_QUEUE=1'] }, /settings/],
    ['a secret that is too short', { clusterSecret: 'short' }, /clusterSecret/],
    ['another database', { databaseUrl: 'mysql://db/x' }, /databaseUrl/],
  ] as const)
    test(`rejects ${what}`, () => assert.rejects(render({ ...values, ...given }), message))

  test('reports missing values', async () => {
    await assert.rejects(render({ s3Url: values.s3Url }), /databaseUrl is needed, or existingSecret/)
    await assert.rejects(render({ existingSecret: 'mine' }), /s3Url is the bucket/)
  })
})
