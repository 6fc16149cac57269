import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { ClientTarget } from './client-target.ts'
import { startRealTarget } from './start-real-target.ts'

const prompt = 'I believe the meaning of life is'

/** What llama.cpp's tests of its own routes ask (test_completion.py, test_infill.py, test_template.py and the like), in our words; docs/clients.md names those that differ here. */
suite("the published cases of llama.cpp's server for its own routes", () => {
  let target: ClientTarget
  before(async () => {
    target = await startRealTarget()
  })
  after(() => target[Symbol.asyncDispose]())

  const call = (path: string, body?: object) =>
    fetch(`${target.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${target.token}` },
      ...(body && { body: JSON.stringify(body) }),
    })
  const ask = async (path: string, body?: object) => {
    const answer = await call(path, body)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
  const complete = (body: object) => ask('/completion', body)

  test('requests need no model if there is only one', async () => {
    const [{ id }] = (await ask('/models')).data.filter(({ kind }: { kind: string }) => kind === 'text')
    assert.equal((await complete({ prompt, n_predict: 1 })).model, id)
  })

  for (const return_tokens of [false, true])
    test(`a completion reports its token counts, with return_tokens ${return_tokens}`, async () => {
      const answer = await complete({ prompt: `${prompt} ${return_tokens}`, n_predict: 8, ignore_eos: true, return_tokens })
      const { tokens } = await ask('/tokenize', { content: `${prompt} ${return_tokens}`, add_special: true })
      assert.equal(answer.timings.cache_n + answer.timings.prompt_n, tokens.length)
      assert.deepEqual([answer.timings.predicted_n, answer.truncated, typeof answer.has_new_line], [8, false, 'boolean'])
      assert.equal(answer.tokens.length, return_tokens ? 8 : 0)
      if (return_tokens) assert.equal((await ask('/detokenize', { tokens: answer.tokens })).content, answer.content)
    })

  test('a stream has tokens in each piece, and the settings at its end', async () => {
    const body = { prompt, n_predict: 8, seed: 42, ignore_eos: true }
    const whole = await complete(body)
    const text = await (await call('/completion', { ...body, stream: true })).text()
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
    const last = events.pop()
    for (const { stop, tokens } of events) assert.ok(stop === false && tokens.length > 0 && tokens.every(Number.isInteger))
    assert.equal(events.map(({ content }) => content).join(''), whole.content)
    assert.equal(events.flatMap(({ tokens }) => tokens).length, 8)
    assert.deepEqual([last.stop, last.stop_type, last.generation_settings.n_predict, last.generation_settings.seed], [true, 'limit', 8, 42])
  })

  test('one seed gives one text, other seeds others', async () => {
    const texts: string[] = []
    for (const seed of [1, 1, 2, 3])
      texts.push((await complete({ prompt, seed, temperature: 1, n_predict: 24, cache_prompt: false })).content)
    assert.equal(texts[0], texts[1])
    assert.equal(new Set(texts).size, 3)
  })

  test('prompts of tokens, several and mixed, give the result of their text', async () => {
    const { tokens } = await ask('/tokenize', { content: prompt, add_special: true })
    const body = { temperature: 0, n_predict: 8 }
    const said = (await complete({ ...body, prompt })).content
    assert.equal((await complete({ ...body, prompt: tokens })).content, said)
    for (const several of [
      [tokens, tokens],
      [tokens, prompt],
    ])
      assert.deepEqual(
        (await complete({ ...body, prompt: several })).map(({ content }: { content: string }) => content),
        [said, said],
      )
    assert.equal(typeof (await complete({ ...body, prompt: [1, 2, 3, prompt, 7, 8, prompt] })).content, 'string')
  })

  test('control tokens spelled in a prompt are parsed as such', async () => {
    const messages = [{ role: 'user', content: target.question }]
    const written = (await ask('/apply-template', { messages })).prompt
    assert.match(written, /assistant\n$/)
    const closed = (await ask('/apply-template', { messages, add_generation_prompt: false })).prompt
    assert.ok(written.startsWith(closed) && written.length > closed.length)
    const chat = await ask('/v1/chat/completions', { model: target.chatModel, messages, temperature: 0, max_tokens: 8 })
    const plain = await complete({ prompt: written, temperature: 0, n_predict: 8 })
    assert.equal(plain.content, chat.choices[0].message.content)
    assert.equal(plain.tokens_evaluated, chat.usage.prompt_tokens)
    for (const prompt of [written, [written]]) {
      const theirs = await ask('/v1/completions', { model: target.chatModel, prompt, temperature: 0, max_tokens: 8 })
      assert.deepEqual([theirs.choices[0].text, theirs.usage.prompt_tokens], [plain.content, chat.usage.prompt_tokens])
    }
  })

  for (const stream of [false, true])
    test(`log probabilities come with ids and bytes, ${stream ? 'streamed' : 'whole'}`, async () => {
      const answer = await call('/completion', { prompt, n_probs: 10, temperature: 0, n_predict: 5, ignore_eos: true, stream })
      const text = await answer.text()
      const parts = stream
        ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
        : [JSON.parse(text)]
      const reported = parts.flatMap((part) => part.completion_probabilities ?? [])
      assert.equal(reported.length, 5)
      for (const { id, token, logprob, bytes, top_logprobs } of reported) {
        assert.ok(id > 0 && typeof token === 'string' && logprob <= 0 && Array.isArray(bytes))
        assert.equal(top_logprobs.length, 10)
        assert.ok(top_logprobs.every((other: { id: number; logprob: number }) => other.id > 0 && other.logprob <= 0))
      }
    })

  test('tokens with a strong negative bias are not generated, by number or text, in a list or an object', async () => {
    const words = ['the', 'The', 'is', 'a', 'to', 'and', 'of']
    const { tokens } = await ask('/tokenize', { content: ` ${words.join(' ')} ` })
    for (const pairs of [tokens.map((token: number) => [token, -100]), words.map((word) => [` ${word}`, -100])])
      for (const logit_bias of [pairs, Object.fromEntries(pairs)]) {
        const { content } = await complete({ prompt: 'What is the best book', n_predict: 48, logit_bias, temperature: 0, ignore_eos: true })
        assert.ok(
          words.every((word) => !content.includes(` ${word} `)),
          content,
        )
      }
  })

  test('a text ends at the end of the context, and a longer prompt is rejected', async () => {
    const { n_ctx } = (await ask('/props')).default_generation_settings
    const { tokens } = await ask('/tokenize', { content: 'x', add_special: true })
    const full = await complete({ prompt: Array.from({ length: n_ctx - 20 }, () => tokens[0]), n_predict: -1, ignore_eos: true })
    assert.deepEqual([full.timings.predicted_n, full.truncated, full.stop_type], [20, true, 'limit'])
    const answer = await call('/completion', { prompt: `${prompt} `.repeat(400), n_predict: 64 })
    assert.equal(answer.status, 400)
    const { code, type, reason } = JSON.parse(await answer.text()).error
    assert.deepEqual([code, type, reason], [400, 'exceed_context_size_error', 'context_length_exceeded'])
  })

  test('an empty prompt is rejected, and the model stays loaded', async () => {
    for (const nothing of ['', [''], [['', '']], { prompt_string: '' }]) {
      const answer = await call('/completion', { prompt: nothing, n_predict: 2 })
      assert.equal(answer.status, 400)
      assert.match(JSON.parse(await answer.text()).error.message, /prompt is empty/)
    }
    assert.equal(typeof (await complete({ prompt: [1, ''], n_predict: 1 })).content, 'string')
    for (const unknown of [{ prompt: [99_999_999] }, { prompt: 'a', logit_bias: [[99_999_999, 1]] }])
      assert.equal((await call('/completion', { n_predict: 1, ...unknown })).status, 400)
  })

  test('slots are reported, and freed when a caller leaves', async () => {
    const leaving = new AbortController()
    const body = JSON.stringify({ prompt, n_predict: -1, ignore_eos: true, stream: true })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${target.token}` }
    const answer = await fetch(`${target.url}/completion`, { method: 'POST', headers, body, signal: leaving.signal })
    await answer.body?.getReader().read()
    const busy = async () => (await ask('/slots')).filter(({ is_processing }: { is_processing: boolean }) => is_processing).length
    assert.equal(await busy(), 1)
    leaving.abort()
    while ((await busy()) > 0) await complete({ prompt: 'x', n_predict: 1 })
    const props = await ask('/props')
    assert.match(props.model_path, /\.gguf$/)
    assert.ok(!props.model_path.includes('/'))
    assert.equal((await ask('/slots')).length, props.total_slots)
  })

  test('a model without gap tokens rejects gaps by name', async () => {
    const answer = await call('/infill', { input_prefix: 'int main() {\n', prompt: '  int n = ', input_suffix: '}\n' })
    assert.equal(answer.status, 400)
    assert.match(JSON.parse(await answer.text()).error.message, /no fill-in-the-middle tokens/)
  })
})
