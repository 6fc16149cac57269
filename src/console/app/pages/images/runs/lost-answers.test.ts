import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'

const page = openBrowserPage('/console/images')
const { cancelRun, draw, imageRuns, restoreRun } = await import('./image-runs.ts')
const { session } = await import('../../../state/session.ts')

const body = { checkpoint: 'm', prompt: 'a tiger', width: 64, height: 64, steps: 4, cfg_scale: 5, sampler: 'DDIM' } as const
const account = { id: 'a', name: 'Ada', email: 'ada@example.org', role: 'owner' }
const running = { id: 'r1', createdAt: 1000, status: 'running', outcome: null, error: null } as const

const stream = (...events: readonly object[]) => new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
const done = () => stream({ status: 'completed', outcome: 'succeeded' })
const status = (code: number) => () => Response.json({ error: { code: 'x', message: 'It failed.' } }, { status: code })
const drawn = () => Response.json({ images: [{ seed: 3, removedForSafety: false }], computeMs: 12 })
const accepted = () => Response.json({ response_id: 'r1' }, { status: 202 })
const signedIn = (who: object | null) => () => Response.json({ account: who, ways: {}, firstRun: false })

const submit = 'POST /generate/sdxl'
const events = 'GET /v1/requests/r1/events'
const images = 'GET /console/api/outputs/r1/images'
const cancel = 'DELETE /v1/requests/r1'
const whoAmI = 'GET /console/api/session'

/** Answers requests to each address in turn; the last answer is repeated. */
function answers(table: Readonly<Record<string, readonly (() => Response)[]>>): void {
  const used = new Map<string, number>()
  page.answerWith(async (address, init) => {
    const name = `${init.method ?? 'GET'} ${address}`
    const turn = used.get(name) ?? 0
    used.set(name, turn + 1)
    return (table[name]?.[turn] ?? table[name]?.at(-1) ?? status(404))()
  })
}

const pauses: number[] = []
const pause = async (milliseconds: number) => void pauses.push(milliseconds)
const timesAsked = (request: string) => page.requested.filter((each) => each === request).length

beforeEach(() => {
  page.requested.length = 0
  pauses.length = 0
  imageRuns.value = []
})

describe('a drawing that the service has accepted', () => {
  for (const [what, table] of [
    ['its events are answered with 500', { [events]: [status(500), status(500), done], [images]: [drawn] }],
    ['its events are answered with 401 though the session is valid', { [events]: [status(401), status(401), done], [images]: [drawn] }],
    ['its images are answered with 500', { [events]: [done], [images]: [status(500), status(500), drawn] }],
  ] as const)
    it(`is followed again with growing pauses, not shown as failed, while ${what}`, async () => {
      answers({ [submit]: [accepted], [whoAmI]: [signedIn(account)], ...table })
      const states: string[] = []
      const end = imageRuns.subscribe(([run]) => void (run && states.push(run.state)))
      await draw(body, { pause })
      end()
      assert.deepEqual([states.includes('failed'), states.at(-1)], [false, 'done'])
      assert.deepEqual(pauses, [1000, 2000])
      assert.equal(timesAsked(submit), 1)
    })

  it('is followed again after a new sign-in if the session had ended', async () => {
    answers({ [submit]: [accepted], [whoAmI]: [signedIn(null)], [events]: [status(401), done], [images]: [drawn] })
    const { promise: signInNeeded, resolve } = Promise.withResolvers<void>()
    const end = session.subscribe(({ state }) => void (state === 'none' && resolve()))
    const drawing = draw(body, { pause })
    await signInNeeded
    end()
    assert.equal(imageRuns.value[0]?.state, 'waiting')
    session.value = { state: 'signed-in', account: account as never }
    await drawing
    assert.equal(imageRuns.value[0]?.state, 'done')
  })

  it('is followed again if it was restored', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    answers({ [events]: [status(500), done], [images]: [drawn] })
    const { promise: lost, resolve } = Promise.withResolvers<void>()
    const end = imageRuns.subscribe(([run]) => void ((run?.connectionLost || run?.state === 'failed') && resolve()))
    const restored = restoreRun({ inference: running, body })
    await lost
    end()
    assert.equal(imageRuns.value[0]?.state, 'waiting')
    test.mock.timers.tick(1000)
    await restored
    assert.equal(imageRuns.value[0]?.state, 'done')
  })

  it('is followed, and cancelled again, while its cancellation is lost', async () => {
    answers({
      [submit]: [
        () => {
          const [run] = imageRuns.value
          if (run) void cancelRun(run)
          return accepted()
        },
      ],
      [cancel]: [status(500), status(500), () => Response.json({})],
      // It runs until the third cancellation arrives.
      [events]: [() => stream(timesAsked(cancel) < 3 ? { status: 'running' } : { status: 'completed', outcome: 'cancelled' })],
      'GET /console/api/requests/r1': [() => Response.json({ inference: running })],
    })
    const states: string[] = []
    const end = imageRuns.subscribe(([run]) => void (run && states.push(run.state)))
    await draw(body, { pause })
    end()
    assert.deepEqual([states.includes('failed'), states.at(-1)], [false, 'cancelled'])
    assert.equal(timesAsked(cancel), 3)
  })

  it('is no longer cancelled once it has ended', async () => {
    answers({ [cancel]: [status(500)] })
    imageRuns.value = []
    await cancelRun({ key: 1, id: 'r1' }, pause)
    assert.deepEqual([timesAsked(cancel), pauses], [1, []])
  })

  it('is shown as failed when its record is missing', async () => {
    answers({ [submit]: [accepted] })
    await draw(body, { pause })
    assert.equal(imageRuns.value[0]?.state, 'failed')
  })
})
