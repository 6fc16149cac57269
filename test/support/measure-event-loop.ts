import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded into every process of a suite by `npm run test:security`: measures the longest that its event loop was held while it answered
// requests, and leaves that behind when the process ends. What tests do between requests, such as making large bodies, does not count.
const report = process.env.EVENT_LOOP_REPORT
if (report !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let open = 0
  let longestNs = 0
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { readonly response: ServerResponse }
    if (open++ === 0) delay.enable()
    response.once('close', () => {
      open -= 1
      if (open > 0) return
      delay.disable()
      longestNs = Math.max(longestNs, delay.count > 0 ? delay.max : 0)
      // Or the time until it is enabled again would count as one delay.
      delay.reset()
    })
  })
  process.on('exit', () => {
    if (longestNs > 0) appendFileSync(report, `${JSON.stringify({ process: process.argv.slice(1), heldMs: longestNs / 1e6 })}\n`)
  })
}
