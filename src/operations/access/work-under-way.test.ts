import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { accountDisabled } from '../../core/account-disabled.ts'
import { createMemoryStore } from '../../storage/memory/create-memory-store.ts'
import { createAccount } from './create-account.ts'
import { endWorkOfDisabled, WorkUnderWay } from './work-under-way.ts'

const options = { signal: new AbortController().signal }

describe('work under way', () => {
  it('ends once, with the reason, and only that of its account', () => {
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    underWay.note('ada', ({ code }) => ended.push(`a ${code}`))
    underWay.note('ada', ({ code }) => ended.push(`b ${code}`))
    underWay.note('bob', () => ended.push('bob'))
    underWay.end('ada', accountDisabled())
    underWay.end('ada', accountDisabled())
    underWay.end('nobody', accountDisabled())
    assert.equal(ended.length, 2)
    assert.deepEqual(underWay.accounts(), ['bob'])
  })

  it('is forgotten when it is done, and does not take newer work with it', () => {
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    const first = underWay.note('ada', () => ended.push('first'))
    underWay.end('ada', accountDisabled())
    const second = underWay.note('ada', () => ended.push('second'))
    first[Symbol.dispose]()
    assert.deepEqual(underWay.accounts(), ['ada'])
    underWay.end('ada', accountDisabled())
    assert.deepEqual(ended, ['first', 'second'])
    second[Symbol.dispose]()
    assert.deepEqual(underWay.accounts(), [])
  })

  it('may end itself while it is ended', () => {
    const underWay = new WorkUnderWay()
    let ends = 0
    const work = underWay.note('ada', () => {
      ends++
      work[Symbol.dispose]()
    })
    underWay.note('ada', () => ends++)
    underWay.end('ada', accountDisabled())
    assert.equal(ends, 2)
  })

  it('of accounts that are disabled or gone ends, of others goes on', async () => {
    const clock = createTestClock()
    const store = createMemoryStore({ clock, limits: { maxPending: 10 } })
    const underWay = new WorkUnderWay()
    const ended: string[] = []
    const [ada, bob] = [
      await createAccount({ ...store, clock }, { name: 'Ada', role: 'member' }, options),
      await createAccount({ ...store, clock }, { name: 'Bob', role: 'member' }, options),
    ]
    for (const id of [ada.id, bob.id, 'gone']) underWay.note(id, () => ended.push(id))
    await endWorkOfDisabled({ ...store, underWay }, options)
    assert.deepEqual(ended, ['gone'])
    await store.accounts.change(ada.id, { disabledAt: clock.now(), by: null }, options)
    await endWorkOfDisabled({ ...store, underWay }, options)
    assert.deepEqual(ended, ['gone', ada.id])
    assert.deepEqual(underWay.accounts(), [bob.id])
  })
})
