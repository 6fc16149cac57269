import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { loadConfig, type ParsedConfig, parseConfig, type SettingSources } from './load-config.ts'
import type { Machine } from './machine.ts'
import type { Config } from './settings.ts'

interface Workplace extends AsyncDisposable {
  readonly folder: string
  readonly load: (sources: {
    readonly flags?: Readonly<Record<string, unknown>>
    readonly environment?: Readonly<Record<string, string>>
  }) => Promise<number | readonly string[]>
}

/** A working folder with these files; `load` gives the port that was read, or the places of the faults. */
async function openWorkplace(files: Readonly<Record<string, string>>): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-config-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return {
    folder,
    load: async ({ flags = {}, environment = {} }) => {
      const loaded = await loadConfig({ flags, environment }, { cores: 1, memoryBytes: 1e9, terminal: false, folder })
      return 'config' in loaded ? loaded.config.listen.port : loaded.faults.map(({ where }) => where)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

describe('loadConfig', () => {
  it('reads sepia.config.json of the working folder if it exists', async () => {
    await using place = await openWorkplace({ 'sepia.config.json': '{ "port": 81 }' })
    assert.equal(await place.load({}), 81)
    await using empty = await openWorkplace({})
    assert.equal(await empty.load({}), 8080)
  })

  it('reads the file that the flag names, else the one that the environment names', async () => {
    await using place = await openWorkplace({ 'a.json': '{ "port": 82 }', 'b.json': '{ "port": 83 }' })
    const environment = { SEPIA_CONFIG: 'b.json' }
    assert.equal(await place.load({ flags: { config: 'a.json' }, environment }), 82)
    assert.equal(await place.load({ environment }), 83)
  })

  it('reports a file that is missing or broken together with all other faults', async () => {
    await using place = await openWorkplace({ 'broken.json': '{ "port": ' })
    const environment = { SEPIA_PORT: 'x' }
    for (const config of ['missing.json', 'broken.json']) {
      assert.deepEqual(await place.load({ flags: { config }, environment }), [join(place.folder, config), 'SEPIA_PORT'])
    }
  })
})

const machine: Machine = { cores: 4, memoryBytes: 4_000_000_000, terminal: false, folder: '/srv/sepia' }

function parse(sources: Partial<SettingSources>): ParsedConfig {
  return parseConfig({ flags: {}, environment: {}, file: null, ...sources }, machine)
}

function configOf(sources: Partial<SettingSources>): Config {
  const parsed = parse(sources)
  assert.ok('config' in parsed, JSON.stringify(parsed))
  return parsed.config
}

function faultsOf(sources: Partial<SettingSources>): readonly string[] {
  const parsed = parse(sources)
  assert.ok('faults' in parsed)
  return parsed.faults.map(({ where, message }) => `${where}: ${message}`)
}

describe('parseConfig', () => {
  it('fills in defaults, some of them from the machine', () => {
    const config = configOf({})
    assert.equal(config.listen.port, 8080)
    assert.equal(config.dataFolder, '/srv/sepia/data')
    assert.equal(config.models.threads, 3)
    assert.equal(config.models.memoryBytes, 3_000_000_000)
    assert.deepEqual(config.database, { type: 'embedded' })
    assert.deepEqual(config.log, { format: 'json', level: 'info' })
  })

  it('uses the physical cores, except one if there are no others', () => {
    for (const [cores, physicalCores, threads] of [
      [1, 1, 1],
      [2, 2, 1],
      [8, 8, 7],
      [16, 8, 8],
      [2, 1, 1],
    ] as const) {
      const parsed = parseConfig({ flags: {}, environment: {}, file: null }, { ...machine, cores, physicalCores })
      assert.equal('config' in parsed && parsed.config.models.threads, threads)
    }
  })

  it('a flag overrides the environment, and the environment overrides the file', () => {
    const file = { path: '/etc/sepia/sepia.config.json', content: { port: 1, host: 'file', 'text-slots': 3 } }
    const config = configOf({ flags: { port: '3' }, environment: { SEPIA_PORT: '2', SEPIA_HOST: 'environment' }, file })
    assert.deepEqual([config.listen.port, config.listen.host, config.models.textSlots], [3, 'environment', 3])
  })

  it('resolves relative paths against the working folder, and those of the file against its folder', () => {
    assert.deepEqual(configOf({ environment: { SEPIA_MODELS: `a${delimiter}/b` } }).models.folders, ['/srv/sepia/a', '/b'])
    const file = { path: '/etc/sepia/sepia.config.json', content: { data: 'store', models: ['m'] } }
    assert.equal(configOf({ file }).dataFolder, '/etc/sepia/store')
    assert.deepEqual(configOf({ file }).models.folders, ['/etc/sepia/m'])
  })

  it('reads durations, sizes, lists and switches in every spelling', () => {
    const config = configOf({
      flags: { 'wide-penalties': true, 'async-headers': ['X-One', 'x-two'] },
      environment: { SEPIA_GRACE: '2m', SEPIA_BODY_LIMIT: '1.5mb', SEPIA_IDLE_UNLOAD: '0', SEPIA_LEASE: '' },
      file: { path: '/f.json', content: { 'webhook-private-targets': true, memory: '2gb' } },
    })
    assert.equal(config.requests.widePenalties, true)
    assert.deepEqual(config.requests.asyncHeaders, ['x-one', 'x-two'])
    assert.equal(config.requests.graceMs, 120_000)
    assert.equal(config.requests.bodyLimitBytes, 1_572_864)
    assert.equal(config.models.idleUnloadMs, null)
    assert.equal(config.deferred.leaseMs, 6000)
    assert.equal(config.deferred.privateWebhooks, true)
    assert.equal(config.models.memoryBytes, 2 * 1024 ** 3)
  })

  it('reads an address of a database and a bucket as alternatives to the embedded ones', () => {
    const config = configOf({ flags: { 'database-url': 'postgres://u:p@db/sepia', 's3-url': 'https://k:s@s3.example/bucket/' } })
    assert.deepEqual(config.database, { type: 'postgres', url: 'postgres://u:p@db/sepia', urlFile: null })
    const address = { endpoint: 'https://s3.example', bucket: 'bucket', region: 'us-east-1', accessKey: 'k', secretKey: 's' }
    assert.deepEqual(config.outputs, { type: 's3', address, secretFile: null })
  })

  it('reports every fault at once, each with its place and the nearest right name', () => {
    const faults = faultsOf({
      flags: { prot: '1', log: 'prety' },
      environment: { SEPIA_PROT: '9000', SEPIA_PORT: 'abc', HOME: '/root' },
      file: { path: '/f.json', content: { 'txt-slots': 4, grace: 5 } },
    })
    assert.deepEqual(faults, [
      '--prot: there is no such flag. Did you mean --port?',
      'SEPIA_PROT: there is no such variable. Did you mean SEPIA_PORT?',
      '"txt-slots" in /f.json: there is no such key. Did you mean text-slots?',
      'SEPIA_PORT: expected a whole number from 0 to 65535, got "abc".',
      '"grace" in /f.json: expected a duration from 0 to 1h, such as 90s, 5m or 2h, got 5.',
      '--log: expected one of pretty, json, got "prety". Did you mean pretty?',
    ])
  })

  it('refuses a public address that paths cannot be added to', () => {
    assert.deepEqual(faultsOf({ flags: { 'public-url': 'https://sepia.example/?a=1' } }), [
      '--public-url: expected an address that ends with its path.',
    ])
    assert.equal(configOf({ flags: { 'public-url': 'https://sepia.example/ink/' } }).addresses.publicUrl, 'https://sepia.example/ink')
  })

  it('rejects invalid and reserved header names for asynchronous mode', () => {
    assert.deepEqual(faultsOf({ flags: { 'async-headers': 'x-fine,b@d' }, environment: { SEPIA_GRACE: 'x' } }), [
      '--async-headers: expected names of headers, such as x-example-async; b@d cannot be one.',
      'SEPIA_GRACE: expected a duration from 0 to 1h, such as 90s, 5m or 2h, got "x".',
    ])
    for (const name of ['Authorization', 'content-type', 'x-service-webhook', 'x-request-id', 'Idempotency-Key', 'if-none-match'])
      assert.match(faultsOf({ flags: { 'async-headers': name } })[0] ?? '', /mean nothing else/, name)
    const flags = { 'async-headers': 'X-Octoai-Async,x-service-async,prefers,ifs' }
    assert.equal(configOf({ flags }).requests.asyncHeaders.length, 4)
  })

  it('accepts addresses, ranges and names of ranges as trusted proxies; none by default', () => {
    const written = '10.0.0.7, 10.1.0.0/16,fd00::/8,::1,LOOPBACK'
    assert.deepEqual(configOf({ flags: { 'trusted-proxies': written } }).listen.trustedProxies, [
      '10.0.0.7',
      '10.1.0.0/16',
      'fd00::/8',
      '::1',
      'loopback',
    ])
    assert.deepEqual(configOf({}).listen.trustedProxies, [])
    for (const wrong of ['true', '1', '*', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/255.0.0.0', 'proxy.example'])
      assert.match(faultsOf({ flags: { 'trusted-proxies': wrong } })[0] ?? '', /expected addresses such as/, wrong)
  })

  it('still reads settings that another one replaced, and reports them', () => {
    const file = { path: '/f.json', content: { 'account-polls': 300, 'account-events': 20 } }
    assert.equal(configOf({ file }).accounts.streams, 300)
    assert.equal(configOf({ flags: { 'account-streams': '10' } }).accounts.streams, 10)
    const parsed = parse({ environment: { SEPIA_ACCOUNT_POLLS: '5' } })
    assert.ok('report' in parsed)
    const replaced = parsed.report.filter(({ replacedBy }) => replacedBy !== undefined)
    assert.deepEqual(replaced, [{ name: 'account-polls', value: '5', source: 'SEPIA_ACCOUNT_POLLS', replacedBy: 'account-streams' }])
    assert.equal(parsed.config.accounts.streams, 256)
  })

  it('never repeats or shows a secret', () => {
    const faults = faultsOf({ environment: { SEPIA_DATABASE_URL: 'mysql://u:hunter2@db/x' } })
    assert.deepEqual(faults, [
      'SEPIA_DATABASE_URL: expected an address that starts with postgres:// or postgresql://, its password with %2F for /, %23 for # and %3F for ?.',
    ])
    const parsed = parse({ flags: { 'database-url': 'postgres://u:hunter2@db/x?sslpassword=hunter3' } })
    assert.ok('report' in parsed)
    const line = parsed.report.find(({ name }) => name === 'database-url')
    assert.deepEqual(line, { name: 'database-url', value: 'postgres://u:***@db/x?sslpassword=***', source: '--database-url' })
  })

  it('accepts one database server with any password, and explains what to use instead of several', () => {
    const settings = (text: string) => ({ flags: { 'database-url': text, 's3-url': 'https://k:s@s3.example/bucket' } })
    assert.equal(configOf(settings('postgres://u:a,b@db/x?options=-csearch_path%3Da,b')).database.type, 'postgres')
    for (const several of [
      'postgres://u:hunter2@a,b/x',
      'postgresql://u:hunter2@a:1,b:2/x?target_session_attrs=read-write',
      'postgres://a,b',
    ])
      assert.match(faultsOf(settings(several))[0] ?? '', /^--database-url: names several servers; .* leads to the primary/)
  })

  it('ignores variables of the test suite', () => {
    assert.equal(configOf({ environment: { SEPIA_CI: '1', SEPIA_CHROMIUM: '/x', SEPIA_TEST_MODELS: '/x' } }).listen.port, 8080)
  })

  it('explains what a file must contain', () => {
    assert.deepEqual(faultsOf({ file: { path: '/f.json', content: [] } }), ['/f.json: expected a JSON object with one key per setting.'])
  })
})
