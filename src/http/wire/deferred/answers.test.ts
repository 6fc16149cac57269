import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeImageRequest } from '../../../../test/support/image-request.ts'
import { makeTextRequest } from '../../../../test/support/text-request.ts'
import { asSent } from '../../../../test/support/wire/as-sent.ts'
import { ServiceError } from '../../../core/error.ts'
import { type Inference, makePendingInference } from '../../../core/inference.ts'
import type { InferenceUpdate } from '../../../operations/deferred/inferences.ts'
import { encodeOutput } from './encode-output.ts'
import { encodeInference, encodeInferenceStream, encodeSubmission, encodeWebhook } from './inference.ts'
import { expectOutputBytes } from './output-size.ts'
import { encodeWebhookSecret } from './webhooks.ts'

const address = { asyncUrl: 'https://async.example' }

const request = { id: 'a1', accountId: 'ada', kind: 'image', model: 'm', priority: 'normal' } as const
const pending: Inference = { ...makePendingInference(request, 0), queuePosition: 3 }
const running: Inference = { ...pending, status: 'running', queuePosition: null, attempt: 1, startedAt: 500 }
const done = { ...running, status: 'completed', completedAt: 1000, expiresAt: 2000 } as const
const output = { key: 'secret-key', contentType: 'application/json', bytes: 2, sha256: '00' }
const error = { code: 'inference_failed', message: 'It failed.', param: null } as const

describe('the answer to a submission', () => {
  it('matches the contract exactly', () => {
    assert.deepEqual(encodeSubmission(address, pending), { response_id: 'a1', poll_url: 'https://async.example/v1/requests/a1' })
  })
})

describe('the answer to a poll', () => {
  for (const [what, inference, has, lacks] of [
    ['pending', pending, ['queue_position'], ['response_url', 'outcome', 'error', 'progress']],
    ['running', { ...running, progress: { step: 1, total: 4 } }, ['progress'], ['queue_position', 'response_url', 'outcome', 'error']],
    ['succeeded', { ...done, outcome: 'succeeded', output }, ['response_url', 'outcome'], ['queue_position', 'error', 'progress']],
    ['failed', { ...done, outcome: 'failed', error }, ['response_url', 'outcome', 'error'], ['queue_position']],
    ['cancelled', { ...done, outcome: 'cancelled', error }, ['response_url', 'outcome'], ['queue_position', 'error']],
  ] as const)
    it(`has exactly the fields for ${what} work`, () => {
      const answer = asSent(encodeInference(address, inference))
      for (const field of has) assert.ok(field in answer, field)
      for (const field of lacks) assert.ok(!(field in answer), field)
      for (const field of [
        'response_id',
        'status',
        'poll_url',
        'model',
        'attempt',
        'created_at',
        'started_at',
        'completed_at',
        'expires_at',
      ])
        assert.ok(field in answer, field)
    })

  it('never contains the account, the place of the output, or a queue position once it runs', () => {
    const text = JSON.stringify(encodeInference(address, { ...done, outcome: 'succeeded', output, queuePosition: 9 }))
    for (const secret of ['ada', 'secret-key', 'sha256', 'queue_position']) assert.ok(!text.includes(secret), secret)
  })

  it('reports every step of completed work as done, whatever was stored last', () => {
    const written = { ...done, outcome: 'succeeded', output, progress: { step: 17, total: 20 } } as const
    assert.deepEqual(encodeInference(address, written).progress, { step: 20, total: 20 })
  })

  it('reports the last stored progress of cancelled work', () => {
    const written = { ...done, outcome: 'cancelled', progress: { step: 17, total: 20 } } as const
    assert.deepEqual(encodeInference(address, written).progress, { step: 17, total: 20 })
  })

  it('has progress for a running, failed or cancelled chat, but not for a completed one, whose total was only a limit', () => {
    const chat = { ...done, kind: 'chat', progress: { step: 17, total: 512 } } as const
    assert.equal('progress' in encodeInference(address, { ...chat, outcome: 'succeeded', output }), false)
    for (const outcome of [null, 'cancelled', 'failed'] as const)
      assert.deepEqual(encodeInference(address, { ...chat, outcome }).progress, { step: 17, total: 512 })
  })

  it('has times in UTC, and null for those that have not happened', () => {
    const answer = encodeInference(address, running)
    assert.deepEqual(
      [answer.created_at, answer.started_at, answer.completed_at, answer.expires_at],
      ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.500Z', null, null],
    )
  })
})

describe('the body of a webhook', () => {
  it('is a Standard Webhooks event that contains the poll body', () => {
    const inference = { ...done, outcome: 'succeeded', output } as const
    assert.deepEqual(JSON.parse(encodeWebhook(address, inference, 1500)), {
      type: 'inference.completed',
      timestamp: '1970-01-01T00:00:01.500Z',
      data: asSent(encodeInference(address, inference)),
    })
  })

  it('marks only the first secret as current', () => {
    assert.deepEqual(['whsec_b', 'whsec_a'].map(encodeWebhookSecret), [
      { secret: 'whsec_b', current: true },
      { secret: 'whsec_a', current: false },
    ])
  })
})

describe('the stream of a request', () => {
  async function read(updates: readonly InferenceUpdate[], failure?: Error): Promise<readonly (readonly [name: string, data: unknown])[]> {
    async function* source(): AsyncGenerator<InferenceUpdate> {
      yield* updates
      if (failure) throw failure
    }
    const events: [string, unknown][] = []
    const reading = (async () => {
      for await (const encoded of encodeInferenceStream(address, source()))
        for (const event of encoded.split(/(?<=\n\n)/)) {
          const [, name = '', data = ''] = /^event: (\w+)\ndata: ([ -~]*)\n\n$/.exec(event) ?? []
          events.push([name, JSON.parse(data)])
        }
    })()
    if (failure) await assert.rejects(reading, failure)
    else await reading
    return events
  }

  it('has named events, and previews in base64', async () => {
    const events = await read([
      { type: 'inference', inference: pending },
      { type: 'progress', progress: { step: 2, total: 4 } },
      { type: 'preview', image: new Uint8Array([255, 216]).subarray(0, 1) },
    ])
    assert.deepEqual(
      events.map(([name]) => name),
      ['status', 'progress', 'preview'],
    )
    assert.deepEqual(events[0]?.[1], asSent(encodeInference(address, pending)))
    assert.deepEqual(events[1]?.[1], { step: 2, total: 4 })
    assert.deepEqual(events[2]?.[1], { image_b64: '/w==' })
  })

  it('has the text in the chunks of a synchronous stream', async () => {
    const usage = { promptTokens: 3, completionTokens: 1, cachedTokens: 0 }
    const events = await read([
      { type: 'text', parts: [{ type: 'thoughts', choice: 0, text: 'hm' }] },
      {
        type: 'text',
        parts: [
          { type: 'text', choice: 0, text: 'é' },
          { type: 'choice-finish', choice: 0, reason: 'stop' },
          { type: 'finish', usage },
        ],
      },
    ])
    const chunks = events.map(([name, data]) => {
      const { choices, usage } = data as { choices: { delta: object; finish_reason: string | null }[]; usage?: object }
      return [name, choices[0]?.delta, choices[0]?.finish_reason, usage]
    })
    const delta = { role: 'assistant', function_call: null }
    assert.deepEqual(chunks, [
      ['text', { ...delta, content: null, reasoning_content: 'hm' }, null, undefined],
      ['text', { ...delta, content: 'é' }, null, undefined],
      ['text', { ...delta, content: '' }, 'stop', undefined],
      [
        'text',
        undefined,
        undefined,
        { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4, prompt_tokens_details: { cached_tokens: 0 } },
      ],
    ])
  })

  it('ends with an error event if its source fails', async () => {
    const events = await read([], new ServiceError('request_not_found', 'There is none.'))
    assert.deepEqual(events, [
      ['error', { error: { message: 'There is none.', type: 'not_found_error', param: null, code: 'request_not_found' } }],
    ])
  })
})

describe('the stored output of asynchronous work', () => {
  const clock = { now: () => 5000, steadyNow: () => 0, wait: async () => {} }
  const text = {
    choices: [{ text: 'Hi', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' }],
    usage: { promptTokens: 1, completionTokens: 1, cachedTokens: 0 },
  } as const

  it('is the JSON of a chat completion for a chat', async () => {
    const work = { kind: 'chat', request: makeTextRequest('hi') } as const
    const { contentType, chunks } = encodeOutput({ clock }, work, { kind: 'chat', result: text })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    const stored = JSON.parse(Buffer.concat(parts).toString())
    assert.match(contentType, /^application\/json/)
    assert.deepEqual(
      [stored.object, stored.created, stored.model, stored.choices[0].message.content],
      ['chat.completion', 5, 'fake-chat', 'Hi'],
    )
  })

  it('of a failed prompt is a completion without log probabilities, whose unfinished choices have no finish reason', () => {
    const request = makeTextRequest('hi', { input: { type: 'prompt', prompt: 'hi', echo: false }, topLogprobs: 1 })
    const [choice] = text.choices
    const result = { ...text, choices: [choice, choice], unfinished: [1] }
    const { chunks } = encodeOutput({ clock }, { kind: 'chat', request }, { kind: 'chat', result })
    const { object, choices } = JSON.parse(Buffer.concat([...chunks]).toString())
    assert.deepEqual(
      [object, choices],
      ['text_completion', ['stop', null].map((reason, index) => ({ index, text: 'Hi', logprobs: null, finish_reason: reason }))],
    )
  })

  it('is rejected if the result is not of the kind of the work', () => {
    assert.throws(
      () => encodeOutput({ clock }, { kind: 'image', request: makeImageRequest('x') }, { kind: 'chat', result: text }),
      TypeError,
    )
  })
})

describe('the expected size of an output', () => {
  const image = (changes: Partial<ReturnType<typeof makeImageRequest>>) =>
    expectOutputBytes({ kind: 'image', request: makeImageRequest('x', changes) })
  const chat = (changes: Partial<ReturnType<typeof makeTextRequest>>) =>
    expectOutputBytes({ kind: 'chat', request: makeTextRequest('x', changes) })

  it('is enough for a PNG of noise in base64', () => {
    const worst = Math.ceil((1024 * 1024 * 3 * 4) / 3)
    assert.ok(image({ width: 1024, height: 1024 }) >= worst)
    assert.ok(image({ width: 1024, height: 1024 }) < worst * 1.1)
  })

  it('grows with the number of pictures and is smaller for JPEG and WebP', () => {
    assert.ok(image({ seeds: [1, 2, 3] }) > 2.9 * image({ seeds: [1] }))
    for (const encoding of ['jpeg', 'webp'] as const) assert.ok(image({ encoding, width: 512 }) < image({ width: 512 }) / 2)
  })

  it('grows for a chat with its token limit, its choices, and the alternatives per token', () => {
    assert.ok(chat({ maxTokens: 1000, choices: 4 }) > 3.5 * chat({ maxTokens: 1000 }))
    assert.ok(chat({ maxTokens: 1 }) < chat({ maxTokens: 512 }))
    assert.ok(chat({ topLogprobs: 20 }) > 10 * chat({ topLogprobs: 0 }))
    assert.ok(chat({ topLogprobs: 0 }) > chat({ topLogprobs: null }))
  })
})
