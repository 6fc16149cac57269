import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { validate } from 'dockerfile-utils'

/** What a line may not hold, beside what the linter finds: the practices that images are held to here. */
const rules: readonly (readonly [name: string, isBroken: (line: string) => boolean])[] = [
  ['a base image names its version', (line) => /^FROM \S+:latest|^FROM (?!base\b|build\b)[^:@\s]+( |$)/.test(line)],
  ['files are copied', (line) => /^ADD /.test(line)],
  ['commands use neither sudo nor cd', (line) => /^RUN .*\b(sudo|cd) /.test(line)],
  [
    'packages come without what they only recommend and leave no lists behind',
    (line) => /apt-get install/.test(line) && !/apt-get install -y --no-install-recommends .*rm -rf \/var\/lib\/apt\/lists/.test(line),
  ],
  ['commands are lists of words, so that signals reach them', (line) => /^(CMD|ENTRYPOINT) (?!\[)/.test(line)],
  ['secrets are no variables', (line) => /^(ENV|ARG) .*(PASSWORD|SECRET|TOKEN|KEY)/i.test(line)],
]

/** The faults of a Dockerfile, by line. */
function lint(dockerfile: string): readonly string[] {
  const found = validate(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`)
  const lines = dockerfile.replaceAll(/^#.*$/gm, '').replaceAll('\\\n', ' ').split('\n')
  const broken = lines.flatMap((line) => rules.filter(([, isBroken]) => isBroken(line)).map(([name]) => `${name}: ${line}`))
  const users = lines.flatMap((line) => /^(?:USER (\S+)|FROM (\S+))/.exec(line)?.slice(1, 3).find(Boolean) ?? [])
  return [...found, ...broken, ...(['root', '0'].includes(users.at(-1) ?? '') ? ['the image runs as root'] : [])]
}

test('the Dockerfile passes the linter and our rules', async () => {
  assert.deepEqual(lint(await readFile('deploy/Dockerfile', 'utf8')), [])
})

test('every stage that is started runs as a user other than root', async () => {
  const stages = (await readFile('deploy/Dockerfile', 'utf8')).split(/^FROM /m).slice(1)
  for (const stage of stages.filter((each) => !each.includes(' AS build'))) {
    const users = [...stage.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user)
    assert.ok(users.length === 0 ? /^base\s*$/.test(stage) : users.at(-1) === 'node', stage)
  }
})

for (const [dockerfile, fault] of [
  ['FROM debian:12\nHELTHCHECK CMD x\n', /Unknown instruction/],
  ['FROM debian:latest\n', /names its version/],
  ['FROM debian\n', /names its version/],
  ['FROM debian:12\nADD a /a\n', /are copied/],
  ['FROM debian:12\nRUN cd /tmp && make\n', /neither sudo nor cd/],
  ['FROM debian:12\nRUN apt-get update && \\\n  apt-get install -y curl\n', /leave no lists/],
  ['FROM debian:12\nCMD sepia serve\n', /lists of words/],
  ['FROM debian:12\nENV API_TOKEN=x\n', /no variables/],
  ['FROM debian:12\nUSER root\n', /as root/],
] as const)
  test(`the linter finds ${fault.source}`, () => assert.match(lint(dockerfile).join('\n'), fault))
