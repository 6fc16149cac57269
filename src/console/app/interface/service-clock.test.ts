import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readServiceClock, serviceNow } from './service-clock.ts'

const answeredAt = (at: number) => readServiceClock({ headers: new Headers({ date: new Date(at).toUTCString() }) })
const aheadMs = () => serviceNow() - Date.now()

test("time follows the service if the browser's clock is wrong, and stays steady if both agree", (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) })
  answeredAt(Date.now() - 2000)
  assert.equal(aheadMs(), 0)
  answeredAt(Date.now() - 3_600_000)
  assert.equal(aheadMs(), -3_600_000)
  readServiceClock({ headers: new Headers() })
  answeredAt(Date.now() - 3_600_000 - 5000)
  assert.equal(aheadMs(), -3_600_000)
  answeredAt(Date.now())
  assert.equal(aheadMs(), 0)
})
