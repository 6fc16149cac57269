import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ParsedConfig, parseConfig } from '../load-config.ts'

function parse(environment: Readonly<Record<string, string>>): ParsedConfig {
  const machine = { cores: 4, memoryBytes: 4_000_000_000, terminal: false, folder: '/srv' }
  return parseConfig({ flags: {}, environment, file: null }, machine)
}

function proxiesOf(environment: Readonly<Record<string, string>>) {
  const parsed = parse(environment)
  assert.ok('config' in parsed, JSON.stringify(parsed))
  return parsed.config.proxies
}

suite('the settings of proxies', () => {
  test("are read from the usual variables, lower case first; Sepia's own variables override both", () => {
    assert.deepEqual(proxiesOf({}), { http: null, https: null, exceptions: [] })
    const large = { HTTPS_PROXY: 'http://large:1', HTTP_PROXY: 'http://large:2', NO_PROXY: 'Large.example, .b 10.0.0.0/8' }
    assert.deepEqual(proxiesOf(large), {
      https: { url: 'http://large:1/', name: 'large:1' },
      http: { url: 'http://large:2/', name: 'large:2' },
      exceptions: ['large.example', '.b', '10.0.0.0/8'],
    })
    const small = { ...large, https_proxy: 'https://small', http_proxy: '', no_proxy: '*' }
    const { https, http, exceptions } = proxiesOf(small)
    assert.deepEqual([https?.name, http?.name, exceptions], ['small:443', 'large:2', ['*']])
    assert.equal(proxiesOf({ ...small, SEPIA_HTTPS_PROXY: 'http://ours:3' }).https?.name, 'ours:3')
  })

  test('take an address without http://, one of IPv6, and every character of a password', () => {
    const named = (HTTPS_PROXY: string) => proxiesOf({ HTTPS_PROXY }).https
    assert.deepEqual(named('proxy.example:3128'), { url: 'http://proxy.example:3128/', name: 'proxy.example:3128' })
    assert.equal(named('me:word@proxy')?.name, 'proxy:80')
    assert.equal(named('http://[fd00::1]:8/')?.name, '[fd00::1]:8')
    assert.equal(named('http://me:a%40b%2Fc@proxy:1')?.url, 'http://me:a%40b%2Fc@proxy:1/')
    assert.equal(named('http://me:50%off@proxy:1')?.url, 'http://me:50%25off@proxy:1/')
  })

  for (const raw of [
    'socks5://me:s3cr3t@proxy:1080',
    'http://',
    'http://me:s3cr3t@proxy:99999',
    'http://me:s3cr3t@proxy/path',
    '://s3cr3t',
    'http:// s3cr3t',
  ])
    test(`refuse ${raw} under the name of its variable, without repeating it`, () => {
      for (const variable of ['HTTPS_PROXY', 'http_proxy']) {
        const parsed = parse({ [variable]: raw })
        assert.ok('faults' in parsed)
        assert.deepEqual(
          parsed.faults.map(({ where }) => where),
          [variable],
        )
        assert.match(parsed.faults[0]?.message ?? '', /^expected the address of an HTTP proxy, such as http:/)
        assert.doesNotMatch(parsed.faults[0]?.message ?? '', /s3cr3t|socks/)
      }
    })

  test('are shown without the name and the password', () => {
    const parsed = parse({ HTTPS_PROXY: 'http://me:s3cr3t@proxy:1', HTTP_PROXY: 'http://token@proxy:2', NO_PROXY: 'a,b' })
    assert.ok('config' in parsed)
    assert.deepEqual(
      parsed.report.filter(({ name }) => name.endsWith('-proxy')),
      [
        { name: 'https-proxy', value: 'http://***@proxy:1', source: 'HTTPS_PROXY' },
        { name: 'http-proxy', value: 'http://***@proxy:2', source: 'HTTP_PROXY' },
        { name: 'no-proxy', value: 'a,b', source: 'NO_PROXY' },
      ],
    )
  })
})
