import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type HttpService, startHttpService } from '../../../../test/support/http-service.ts'
import { runCommandLine as run, tokenOf } from '../../../../test/support/run-command-line.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { describeFakeText } from '../../../runtimes/fake/fake-catalog.ts'
import { endOfInput } from '../../terminal.ts'

const at = ({ url, token }: HttpService) => ({ environment: { SEPIA_URL: url, SEPIA_TOKEN: token } })

async function submit(service: HttpService): Promise<string> {
  const response = await service.fetch('/generate/sdxl', { json: { prompt: 'a cat', steps: 2 }, headers: { 'x-service-async': '1' } })
  const { response_id: id }: { response_id: string } = JSON.parse(await response.text())
  return id
}

describe('chat', () => {
  it('streams the answer to a question', async () => {
    await using service = await startHttpService()
    const { code, out, err } = await run(['chat', 'Hello', '--seed', '7'], at(service))
    assert.deepEqual([code, err], [0, ''])
    const { out: json } = await run(['chat', '-', '--json', '--seed', '7'], { ...at(service), input: 'Hello' })
    assert.deepEqual(JSON.parse(json), { model: 'fake-chat', content: out.trimEnd() })
    assert.notEqual(out.trimEnd(), '')
  })

  it('keeps the conversation until Ctrl-D', async () => {
    const bodies: { messages: { role: string; content: string }[] }[] = []
    await using service = await startHttpService({
      extend: async (server) => {
        server.addHook('preHandler', async ({ body }) => void bodies.push(Object(body).value))
      },
    })
    const { code, questions } = await run(['chat', '--system', 'Be brief.'], {
      ...at(service),
      answers: ['One', '', 'Two', endOfInput],
    })
    assert.equal(code, 0)
    assert.equal(questions.length, 4)
    const turns = bodies.flatMap((body) => (body === undefined ? [] : [body.messages.map(({ role }) => role).join(' ')]))
    assert.deepEqual(turns, ['system user', 'system user assistant user'])
  })

  it('ends the line of an answer that breaks off', async () => {
    await using service = await startHttpService({
      extend: async (server) => {
        server.addHook('onRequest', async ({ url }, reply) => {
          if (url === '/v1/chat/completions')
            await reply.type('text/event-stream').send('data: {"choices": [{"index": 0, "delta": {"content": "The capital"}}]}\n\n')
        })
      },
    })
    const { code, out, err } = await run(['chat', 'Hello', '--model', 'fake-chat'], at(service))
    assert.deepEqual([code, out, err], [1, 'The capital\n', 'The answer broke off; ask again.\n'])
  })

  it('continues after an error, without the rejected turn', async () => {
    await using service = await startHttpService()
    const { code, err } = await run(['chat', '--model', 'nothing'], { ...at(service), answers: ['One', 'Two', endOfInput] })
    assert.equal(code, 0)
    assert.equal(err.match(/nothing/g)?.length, 3)
  })

  it('treats several words as one question', async () => {
    await using service = await startHttpService()
    const { out } = await run(['chat', 'Hi there, you', '--seed', '7'], at(service))
    const { code, out: same } = await run(['chat', 'Hi', 'there,', 'you', '--seed', '7'], at(service))
    assert.deepEqual([code, same], [0, out])
  })

  it('reports a data folder that does not exist', async () => {
    await using folder = await createTemporaryFolder()
    const missing = join(folder.path, 'missing')
    const { code, err } = await run(['chat', 'Hi', '--data', missing])
    assert.deepEqual([code, err], [2, `--data: the folder ${missing} does not exist; name that of the service.\n`])
  })

  it('rejects an invalid number before it sends a request', async () => {
    const { code, err } = await run(['chat', 'x', '--temperature', 'hot'])
    assert.deepEqual([code, err], [2, '--temperature: expected a number, got "hot".\n'])
  })
})

describe('draw', () => {
  it('writes the picture without replacing a file, and shows it if the terminal can', async () => {
    await using service = await startHttpService({ worker: true })
    await using folder = await createTemporaryFolder()
    const out = join(folder.path, 'cat.png')
    const { environment } = at(service)
    const drawn = await run(['draw', 'a cat', '--output', out, '--seed', '7', '--steps', '2', '--json'], { environment })
    assert.equal(drawn.code, 0, drawn.out)
    assert.equal(JSON.parse(drawn.out).seed, 7)
    const bytes = await readFile(out)
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG')
    const words = ['draw', 'a cat', '--out', out, '--seed', '7']
    const kitty = await run(words, { environment: { ...environment, TERM: 'xterm-kitty' }, interactive: true })
    assert.ok(kitty.out.startsWith('\u001b_Ga=T,f=100,'))
    const piped = await run(words, { environment: { ...environment, TERM: 'xterm-kitty' } })
    assert.ok(!piped.out.includes('\u001b'))
  })

  it('requests no picture if the file cannot be written', async () => {
    await using service = await startHttpService({ worker: true })
    await using folder = await createTemporaryFolder()
    for (const [flag, place] of [
      ['--output', join(folder.path, 'none', 'cat.png')],
      ['--out', folder.path],
    ] as const) {
      const { code, err } = await run(['draw', 'a', 'cat', flag, place], at(service))
      assert.equal(code, 2)
      assert.match(err, new RegExp(`^${flag}: .*(does not exist|is a folder)`))
    }
    assert.deepEqual(JSON.parse(await (await service.fetch('/v1/requests')).text()).data, [])
  })

  it('reports invalid flags before it sends a request', async () => {
    for (const [flag, value] of [
      ['--size', 'big'],
      ['--steps', '2.5'],
      ['--seed', '-1'],
    ] as const)
      assert.match((await run(['draw', 'x', `${flag}=${value}`])).err, new RegExp(`^${flag}: expected`))
  })

  it('prints the error of the service', async () => {
    await using service = await startHttpService()
    const { code, err } = await run(['draw', 'x', '--size', '1x1'], at(service))
    assert.equal(code, 1)
    assert.match(err, /width/)
  })
})

describe('request', () => {
  it('lists, shows and cancels', async () => {
    await using service = await startHttpService()
    assert.equal((await run(['request', 'list'], at(service))).out, 'No requests found.\n')
    const id = await submit(service)
    assert.match((await run(['request', 'list', '--status', 'pending'], at(service))).out, new RegExp(`^${id} +pending `, 'm'))
    assert.match((await run(['request', 'show', id], at(service))).out, /^status +pending, number 1 in line$/m)
    const { out } = await run(['request', 'cancel', id, '--json'], at(service))
    assert.equal(JSON.parse(out).outcome, 'cancelled')
    const refused = await run(['request', 'list', '--status', 'lost'], at(service))
    assert.match(refused.err, /`status` must be one of/)
  })

  it('reports that a running request is not completed, and how to wait for it', async () => {
    await using service = await startHttpService()
    const id = await submit(service)
    const rooms = [{ model: 'fake-image', room: 1 }]
    await service.store.queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 60_000 }, { signal: new AbortController().signal })
    const { code, out } = await run(['request', 'cancel', id, '--yes'], at(service))
    assert.equal(code, 0)
    assert.match(out, /^status +running$/m)
    assert.ok(out.endsWith(`\nIt ends at its next step or token; run sepia request wait ${id} to wait for that.\n`), out)
    const waiting = await submit(service)
    assert.doesNotMatch((await run(['request', 'cancel', waiting, '--yes'], at(service))).out, /It ends/)
  })

  it('waits for the end, and exits with 1 where that is a failure', async () => {
    await using service = await startHttpService({ worker: true })
    const { code, out } = await run(['request', 'wait', await submit(service)], at(service))
    assert.equal(code, 0)
    assert.match(out, /^status +completed\noutcome +succeeded$/m)
    await using idle = await startHttpService()
    const id = await submit(idle)
    await run(['request', 'cancel', id, '--yes'], at(idle))
    assert.equal((await run(['request', 'wait', id], at(idle))).code, 1)
  })

  it('refuses to cancel one that is completed', async () => {
    await using service = await startHttpService({ worker: true })
    const id = await submit(service)
    await run(['request', 'wait', id], at(service))
    const { code, err } = await run(['request', 'cancel', id, '--yes'], at(service))
    assert.deepEqual([code, err], [1, `${id} is already completed (succeeded); there is nothing to cancel.\n`])
    assert.match((await run(['request', 'list'], at(service))).out, new RegExp(`^${id} +completed +succeeded `, 'm'))
  })

  it('fetches the output as JSON, and its picture into a file', async () => {
    await using service = await startHttpService({ worker: true })
    await using folder = await createTemporaryFolder()
    const id = await submit(service)
    await run(['request', 'wait', id], at(service))
    const printed = await run(['request', 'output', id], at(service))
    const [image] = JSON.parse(printed.out).images
    const [picture, json] = [join(folder.path, 'cat.jpg'), join(folder.path, 'cat.json')]
    assert.match((await run(['request', 'output', id, '--output', picture], at(service))).out, /^Wrote .*cat\.jpg/)
    assert.equal((await readFile(picture)).toString('base64'), image.image_b64)
    await run(['request', 'output', id, '--output', json], at(service))
    assert.equal(await readFile(json, 'utf8'), printed.out)
    const lost = await run(['request', 'output', id, '--output', join(folder.path, 'none', 'x.png')], at(service))
    assert.match(lost.err, /^--output: the folder .* does not exist/)
    assert.equal((await run(['request', 'output', 'nothing'], at(service))).code, 1)
  })

  it('fetches what a failed text request had written, reports the error and exits with 1', async () => {
    await using service = await startHttpService({ worker: true })
    await using folder = await createTemporaryFolder()
    const messages = [{ role: 'user', content: '[say one two three] [fail inference_timeout after 2]' }]
    const json = { model: 'fake-chat', messages }
    const response = await service.fetch('/v1/chat/completions', { json, headers: { 'x-service-async': '1' } })
    const { response_id: id }: { response_id: string } = JSON.parse(await response.text())
    await run(['request', 'wait', id], at(service))
    const { code, out, err } = await run(['request', 'output', id], at(service))
    assert.deepEqual([code, JSON.parse(out).choices[0].message.content], [1, 'one two'])
    assert.match(err, /fail\. The output is what it had written\.\n$/)
    assert.deepEqual(JSON.parse((await run(['request', 'output', id, '--json'], at(service))).out), JSON.parse(out))
    const file = join(folder.path, 'written.json')
    assert.equal((await run(['request', 'output', id, '--output', file], at(service))).code, 1)
    assert.equal(await readFile(file, 'utf8'), out)
  })

  it('reports a request of another account as unknown', async () => {
    await using service = await startHttpService()
    const { code, err } = await run(['request', 'show', '../models'], at(service))
    assert.equal(code, 1)
    assert.match(err, /^This request does not exist/)
  })
})

describe('run', () => {
  const plan = { id: 'fake-chat', bytes: 1, freeBytes: 2, license: null, notes: [], files: {} }

  it('talks with a model that is installed, by its name or its source', async () => {
    await using service = await startHttpService()
    const questions = await run(['chat', 'Hello there', '--model', 'fake-chat', '--seed', '7'], at(service))
    assert.equal((await run(['run', 'fake-chat', 'Hello', 'there', '--seed', '7'], at(service))).out, questions.out)
    const settings = {
      environment: { SEPIA_PORT: new URL(service.url).port, ...at(service).environment },
      backend: { planPull: async () => plan },
    }
    assert.equal((await run(['run', 'hf:fake/chat', 'Hello there', '--seed', '7'], settings)).out, questions.out)
  })

  it('pulls a missing model', async () => {
    await using service = await startHttpService()
    const pulled: string[] = []
    const backend = {
      planPull: async () => ({ ...plan, id: 'missing' }),
      pullModel: async (_: unknown, source: string) => {
        pulled.push(source)
        return describeFakeText()
      },
    }
    const environment = { SEPIA_PORT: new URL(service.url).port, ...at(service).environment }
    assert.equal((await run(['run', 'hf:fake/chat', 'Hello'], { environment, backend })).code, 0)
    assert.deepEqual(pulled, ['hf:fake/chat'])
  })

  it('pulls nothing for a service on another machine, and lists its installed models', async () => {
    await using service = await startHttpService()
    assert.match((await run(['run', 'hf:fake/chat', 'Hello'], at(service))).err, /^hf:fake\/chat can only be pulled on the machine of /)
    const unknown = await run(['run', 'fake-chad', 'Hello'], at(service))
    assert.match(unknown.err, /^fake-chad is not in the list of models; .* sepia run hf:<owner>\/<repository>\n.*fake-chat/)
  })

  it('accepts a name that the service resolves without a word about the list', async () => {
    await using service = await startHttpService()
    const { code, err } = await run(['run', 'fake-chat:latest', 'Hello'], at(service))
    assert.equal(code, 0)
    assert.doesNotMatch(err, /not in the list/)
  })

  it('names the commands that add a model if the name is unknown', async () => {
    await using service = await startHttpService()
    for (const words of [
      ['run', 'unknown', 'Hello'],
      ['chat', '--model', 'unknown', 'Hello'],
      ['draw', '--model', 'unknown', 'a cat'],
    ]) {
      const { code, err } = await run(words, at(service))
      assert.equal(code, 1)
      assert.match(err, / To add a model, run sepia model pull <source>.*sepia model suggestions/)
    }
  })
})

describe('usage', () => {
  it('shows usage by day and model, and what is left', async () => {
    await using service = await startHttpService()
    assert.equal((await run(['usage'], at(service))).out, 'Nothing was used in these days.\n')
    await run(['chat', 'Hello'], at(service))
    await service.inBooks(1)
    assert.match((await run(['usage'], at(service))).out, /^\d{4}-\d{2}-\d{2} +1 +0 +0 +\d+ +\d+ +0 +fake-chat$/m)
    assert.match(
      (await run(['usage', '--by', 'token'], at(service))).out,
      /^TOKEN +REQUESTS .*P95 MS\ntest +1 +0 +0 +\d+ +\d+ +0 +\d+ +\d+$/m,
    )
    const { out } = await run(['usage', '--by', 'model,token', '--csv'], at(service))
    assert.match(out, /^token,model,token_name,requests,.*,first_token_p99_ms\n[0-9a-f-]{36},fake-chat,test,1,0,0,(?:\d+,){9}\d+\n$/)
    assert.match((await run(['usage', '--by', 'person'], at(service))).err, /`by` must be one or more of token, model, day, hour/)
    assert.match((await run(['usage', '--from', 'monday'], at(service))).err, /`from` must be an existing UTC day/)
    for (const query of ['from=2026-02-31', 'from=2026-11-02&to=2026-11-01']) {
      const answer = await service.fetch(`/v1/usage?${query}`)
      const { error } = (await answer.json()) as { error: { param: string } }
      assert.deepEqual([answer.status, error.param], [400, 'from'], query)
    }
  })
})

describe('login', () => {
  it('is ignored if the command line names a data folder, which has its own token', async () => {
    await using elsewhere = await startHttpService()
    await using here = await startHttpService()
    await using home = await createTemporaryFolder()
    const environment = { HOME: home.path, SEPIA_PORT: new URL(here.url).port }
    await run(['login', elsewhere.url, '--token', elsewhere.token], { environment })
    const desk = { createToken: async () => ({ text: here.token, token: tokenOf({ name: 'x', scopes: [] }) }) }
    const words = ['status', '--data', home.path, '--json']
    for (const made of [1, 0]) {
      const { out, done } = await run(words, { environment, desk })
      assert.equal(JSON.parse(out).url, here.url)
      assert.equal(done.filter((each) => each === 'closed').length, made)
    }
    assert.equal((await stat(join(home.path, 'command-line.json'))).mode & 0o777, 0o600)
    assert.equal(JSON.parse((await run(['status', '--json'], { environment })).out).url, elsewhere.url)
  })

  it('stores the login readable only by its owner, for other commands until logout', async () => {
    await using service = await startHttpService()
    await using home = await createTemporaryFolder()
    const environment = { HOME: home.path }
    const signedIn = await run(['login', `${service.url}/`], { environment, answer: service.token })
    assert.equal(signedIn.code, 0, signedIn.err)
    assert.doesNotMatch(signedIn.out, /sepia_/)
    const file = join(home.path, '.config/sepia/login.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { url: service.url, token: service.token })
    assert.equal((await run(['status'], { environment })).code, 0)
    assert.match((await run(['logout'], { environment })).out, /^Deleted the login in /)
    assert.match((await run(['logout'], { environment })).out, /^There is no login in /)
    assert.match((await run(['status', '--port', '9'], { environment })).err, /cannot be reached|Nothing answers/)
  })

  it('stores no token that the service rejects', async () => {
    await using service = await startHttpService()
    await using home = await createTemporaryFolder()
    const refused = await run(['login', service.url, '--token', 'sepia_wrong'], { environment: { HOME: home.path } })
    assert.equal(refused.code, 1)
    await assert.rejects(stat(join(home.path, '.config')))
  })

  it('never sends a stored token to another address', async () => {
    await using service = await startHttpService()
    await using home = await createTemporaryFolder()
    const environment = { HOME: home.path }
    await run(['login', service.url, '--token', service.token], { environment })
    const elsewhere = await run(['status', '--url', 'http://127.0.0.1:9'], { environment })
    assert.equal(elsewhere.code, 2)
    assert.match(elsewhere.err, /there is no token for http:\/\/127\.0\.0\.1:9/)
  })

  for (const url of ['ftp://x', 'x', 'http://a/b', 'http://u:p@a', 'http://a?b'])
    it(`rejects the address ${url}`, async () => {
      const { code, err } = await run(['login', url, '--token', 'x'])
      assert.equal(code, 2)
      assert.match(err, /^<url>: expected an origin/)
    })

  it('revokes the token if it cannot be stored, and explains what to do instead', async () => {
    await using service = await startHttpService()
    await using home = await createTemporaryFolder()
    await writeFile(join(home.path, 'file'), '')
    // Below /proc the system says that a folder is missing whose parent is there.
    for (const folder of [join(home.path, 'file'), ...(existsSync('/proc/self') ? ['/proc/sepia'] : [])]) {
      const environment = { XDG_CONFIG_HOME: folder, SEPIA_PORT: new URL(service.url).port }
      const here = await run(['status'], { environment })
      const given = await run(['login', service.url, '--token', service.token], { environment })
      const advice = 'set XDG_CONFIG_HOME to another folder, or use SEPIA_URL and SEPIA_TOKEN.'
      for (const { code, err } of [here, given])
        assert.deepEqual([code, err], [1, `${join(folder, 'sepia', 'login.json')} cannot be written; ${advice}\n`])
      assert.ok(here.done.includes('revoked t1'), here.done.join())
    }
  })

  it('reports a file that contains no login', async () => {
    await using home = await createTemporaryFolder()
    await mkdir(join(home.path, 'sepia/login.json'), { recursive: true })
    const { code, err } = await run(['status'], { environment: { XDG_CONFIG_HOME: home.path } })
    assert.equal(code, 1)
    assert.match(err, /EISDIR|login\.json/)
  })
})

describe('an address without a service', () => {
  it('is reported with what to do', async () => {
    await using service = await startHttpService({
      extend: async (server) => {
        server.get('/healthy', async () => 'hello')
      },
    })
    const { err } = await run(['login', `http://127.0.0.1:${new URL(service.url).port}`, '--token', 'x\ny'])
    assert.match(err, /cannot be reached|token/)
    const hostile = await run(['chat', '\u001b[2J', '--model', '\u001b[2J'], at(service))
    assert.ok(!`${hostile.out}${hostile.err}`.includes('\u001b'))
  })
})
