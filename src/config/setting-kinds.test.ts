import assert from 'node:assert/strict'
import { delimiter, resolve } from 'node:path'
import { suite, test } from 'node:test'
import { trustedProxies } from './address-settings.ts'
import { headerNames } from './header-names.ts'
import type { Kind } from './setting.ts'
import {
  aliases,
  byteSize,
  currencyCode,
  duration,
  file,
  folder,
  folders,
  integer,
  names,
  oneOf,
  optional,
  origins,
  secret,
  text,
  toggle,
  url,
} from './setting-kinds.ts'
import { groupRoles, issuerUrl } from './sign-in-settings.ts'

const base = resolve('/srv/sepia')
const web = url('http:', 'https:')
const database = url('postgres:')

/** A kind, what it reads of what was written, and what it refuses. */
const kinds: readonly (readonly [
  name: string,
  kind: Pick<Kind<unknown>, 'parse'>,
  good: readonly (readonly [unknown, unknown])[],
  bad: readonly unknown[],
])[] = [
  [
    'text',
    text,
    [
      ['a', 'a'],
      [' ', ' '],
    ],
    ['', 5, true, null, undefined, ['a'], {}],
  ],
  [
    'currencyCode',
    currencyCode,
    [
      ['EUR', 'EUR'],
      ['JPY', 'JPY'],
    ],
    ['eur', 'EURO', 'QQQ', '€', '', 978, null],
  ],
  [
    'toggle',
    toggle,
    [
      [true, true],
      ['on', true],
      ['true', true],
      ['1', true],
      [false, false],
      ['off', false],
      ['false', false],
      ['0', false],
    ],
    ['', 'yes', 'ON', 1, 0, null],
  ],
  [
    'integer',
    integer(1, 10),
    [
      ['1', 1],
      ['10', 10],
      [7, 7],
      ['007', 7],
    ],
    ['0', '11', '-1', '1.5', '1e1', ' 5', '', 1.5, Number.NaN, true, null, '５'],
  ],
  [
    'oneOf',
    oneOf('all', 'api', 'worker'),
    [
      ['all', 'all'],
      ['worker', 'worker'],
    ],
    ['', 'All', 'apis', 5, null, ['all'], 'constructor'],
  ],
  [
    'duration',
    duration('1s', '1h'),
    [
      ['1s', 1000],
      ['90s', 90_000],
      ['1h', 3_600_000],
      [' 5 M ', 300_000],
    ],
    ['0', '999ms', '61m', '5', 5, 0, '', null],
  ],
  [
    'duration from nothing',
    duration('0', '1h'),
    [
      ['0', 0],
      [0, 0],
    ],
    [5, -1],
  ],
  [
    'byteSize',
    byteSize('1kb'),
    [
      ['1kb', 1024],
      [2048, 2048],
      ['1.5mb', 1_572_864],
    ],
    ['1023', 0, '', '1x', true, null, -5],
  ],
  [
    'folder',
    folder,
    [
      ['data', resolve(base, 'data')],
      ['/var/data', resolve('/var/data')],
      ['../x', resolve(base, '../x')],
    ],
    ['', 5, null, true],
  ],
  ['file', file, [['key.pem', resolve(base, 'key.pem')]], ['', 5, null]],
  [
    'folders',
    folders,
    [
      [`a${delimiter}/b${delimiter} `, [resolve(base, 'a'), resolve('/b')]],
      [
        ['a', 'c'],
        [resolve(base, 'a'), resolve(base, 'c')],
      ],
      ['', []],
      [[], []],
    ],
    [5, null, ['a', 5]],
  ],
  [
    'names',
    names,
    [
      ['A, b ,,C', ['a', 'b', 'c']],
      [
        ['X', 'y'],
        ['x', 'y'],
      ],
      ['', []],
    ],
    [5, null, [5]],
  ],
  [
    'url',
    web,
    [
      ['http://a.example/', 'http://a.example'],
      ['https://a.example:8443/x/y//', 'https://a.example:8443/x/y'],
      ['HTTPS://A.example', 'https://a.example'],
    ],
    ['a.example', 'ftp://a.example', 'https://', '', 5, null, 'https://a.example/?x=1', 'https://a.example/#x'],
  ],
  [
    'url of a database',
    database,
    [['postgres://u:p@db/x?sslmode=require', 'postgres://u:p@db/x?sslmode=require']],
    ['https://db/', 'postgres://db/#x'],
  ],
  [
    'aliases',
    aliases,
    [
      ['gpt-4o=qwen3-8b', { 'gpt-4o': 'qwen3-8b' }],
      ['a=b, c=d', { a: 'b', c: 'd' }],
      [{ a: 'b' }, { a: 'b' }],
      [['a=b'], { a: 'b' }],
    ],
    ['a', '=b', 'a=', 'a=b=c', 'a b=c', { a: 5, b: 'c d' }, 5, null],
  ],
  [
    'origins',
    origins,
    [
      ['https://app.example', ['https://app.example']],
      ['http://localhost:3000,https://app.example', ['http://localhost:3000', 'https://app.example']],
      ['*', ['*']],
    ],
    ['app.example', 'https://app.example/', 'https://app.example/x', 'https://App.example', 'https://', 'ftp://app.example', 5],
  ],
  [
    'optional',
    optional(integer(1, 5)),
    [
      [null, null],
      ['3', 3],
    ],
    ['', 'none', 0],
  ],
  [
    'issuer',
    issuerUrl,
    [
      ['https://login.example/realms/staff', 'https://login.example/realms/staff'],
      ['https://login.example/', 'https://login.example/'],
      ['http://localhost:9/x', 'http://localhost:9/x'],
      ['http://[::1]/', 'http://[::1]/'],
    ],
    [
      'http://login.example/',
      'https://u@login.example/',
      'https://u:p@login.example/',
      'https://login.example/?a=b',
      'https://login.example/#a',
      'login',
      5,
      null,
      'ftp://localhost/',
    ],
  ],
  [
    'group roles',
    groupRoles,
    [
      [
        'owners=owner, *=member',
        [
          ['owners', 'owner'],
          ['*', 'member'],
        ],
      ],
      ['cn=staff=member', [['cn=staff', 'member']]],
      [['a b = owner'], [['a b', 'owner']]],
    ],
    ['', 'owners', 'owners=boss', '=owner', 'a=owner,', [5], 5, null],
  ],
  [
    'trusted proxies',
    trustedProxies,
    [
      ['Loopback, 10.0.0.0/8', ['loopback', '10.0.0.0/8']],
      [
        ['10.0.0.7', '::1', 'fc00::/7'],
        ['10.0.0.7', '::1', 'fc00::/7'],
      ],
    ],
    ['proxy.example', '10.0.0.0/0', '10.0.0.0/33', '::/0', '::/129', '10.0.0.0/8/8', '10.0.0', '10.0.0.0/', 5, null],
  ],
  [
    'header names',
    headerNames,
    [
      ['X-Octoai-Async, x-service-async', ['x-octoai-async', 'x-service-async']],
      ['', []],
    ],
    [
      'x async',
      'x:async',
      'ü',
      'authorization',
      'Cookie',
      'idempotency-key',
      'x-service-webhook',
      'content-type',
      'sec-fetch-mode',
      'x-api-key',
      'api-key',
      'traceparent',
      'anthropic-version',
      5,
    ],
  ],
]

for (const [name, kind, good, bad] of kinds)
  suite(`settings of the kind ${name}`, () => {
    for (const [raw, value] of good) test(`${JSON.stringify(raw)} is read`, () => assert.deepEqual(kind.parse(raw, base), { value }))
    for (const raw of bad)
      test(`${JSON.stringify(raw) ?? String(raw)} is rejected with a sentence that states what is expected`, () => {
        const parsed = kind.parse(raw, base)
        assert.ok('fault' in parsed, JSON.stringify(parsed))
        assert.match(parsed.fault, /^expected .*[.?]$/)
      })
  })

suite('settings as they are printed', () => {
  test('a printed value is read back unchanged', () => {
    const readBack = <Value>(kind: Kind<Value>, value: Value) => assert.deepEqual(kind.parse(kind.print(value), base), { value })
    readBack(toggle, true)
    readBack(toggle, false)
    readBack(integer(0, 1e6), 12_345)
    readBack(duration('0', '30d'), 5_400_000)
    readBack(byteSize('0'), 5 * 1024 ** 3)
    readBack(folders, [resolve('/a'), resolve('/b')])
    readBack(names, ['a', 'b'])
    readBack(groupRoles, [['cn=x', 'owner']])
    readBack(web, 'https://a.example/x')
    assert.equal(optional(toggle).print(null), '')
  })

  test('no secret is printed or repeated in a fault', () => {
    assert.equal(secret.print('s3cr3t'), '***')
    for (const [kind, raw] of [
      [secret, 5317],
      [secret, ['5317']],
      [optional(secret), { key: '5317' }],
      [web, 'ftp://u:5317@host/'],
      [database, 'postgress://u:5317@host/'],
      [web, 'https://u:5317@host/?key=1'],
    ] as const) {
      const parsed = kind.parse(raw, base)
      assert.ok('fault' in parsed && !parsed.fault.includes('5317'), JSON.stringify(parsed))
    }
    assert.equal(web.print('https://u:s3cr3t@a.example/x'), 'https://u:***@a.example/x')
    assert.ok(!database.print('postgres://u:s3cr3t@db/x?password=s3cr3t&sslmode=require').includes('s3cr3t'))
  })

  test('a word that is nearly one of the list is answered by that', () => {
    const parsed = oneOf('optional', 'owners', 'everybody').parse('owner', base)
    assert.ok('fault' in parsed)
    assert.match(parsed.fault, /one of optional, owners, everybody, got "owner"\. Did you mean owners\?$/)
  })
})
