import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded into every process of a suite by `npm run test:security`: measures the longest that its event loop was held while it answered
// requests, and leaves that behind when the process ends. What tests do between requests, such as making large bodies, does not count.
const report = process.env.SEPIA_EVENT_LOOP_REPORT
if (report !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let open = 0
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { readonly response: ServerResponse }
    if (open++ === 0) delay.enable()
    response.once('close', () => {
      open -= 1
      if (open === 0) delay.disable()
    })
  })
  process.on('exit', () => {
    if (delay.count > 0) appendFileSync(report, `${JSON.stringify({ process: process.argv.slice(1), heldMs: delay.max / 1e6 })}\n`)
  })
}
