import type { Command } from '../../command.ts'
import { confirm, yesFlag } from '../../confirm.ts'
import { openProgressBar } from '../../progress-bar.ts'
import { openService } from '../../service/open-service.ts'
import { serviceFlags, serviceSettings } from '../../service/service-flags.ts'
import { describeRequest, describeStatus, followRequest, type ShownRequest } from '../../service/shown-request.ts'
import { textTable } from '../../text-table.ts'

const id = { name: '<id>', help: 'The response_id of an asynchronous request; sepia request list shows them.' }
const path = (argument: string) => `/v1/requests/${encodeURIComponent(argument)}`

export const listRequests: Command = {
  words: ['request', 'list'],
  summary: 'List your asynchronous requests, newest first.',
  flags: [
    { name: 'status', form: '<status>', help: 'Only those that are pending, running or completed.' },
    { name: 'limit', form: '<number>', help: 'How many, 1 to 100; default 20.' },
    ...serviceFlags,
  ],
  settings: serviceSettings,
  run: async (context) => {
    const { flags, signal } = context
    const query = new URLSearchParams([...flags].filter(([name]) => name === 'status' || name === 'limit'))
    const service = await openService(context)
    const { data } = await service.fetchJson<{ readonly data: readonly ShownRequest[] }>(`/v1/requests?${query}`, { signal })
    const rows = data.map((request) => [request.response_id, describeStatus(request), request.created_at.slice(0, 19), request.model])
    return {
      text: textTable(['ID', 'STATUS', 'CREATED (UTC)', 'MODEL'], rows) || 'There are no such requests.',
      heading: rows.length > 0,
      json: { requests: data },
    }
  },
}

export const showRequest: Command = {
  words: ['request', 'show'],
  summary: 'Show how one asynchronous request stands.',
  argument: id,
  flags: serviceFlags,
  settings: serviceSettings,
  run: async (context) => {
    const service = await openService(context)
    const request = await service.fetchJson<ShownRequest>(path(context.argument), { signal: context.signal })
    return { text: describeRequest(request), json: { ...request } }
  },
}

export const waitForRequest: Command = {
  words: ['request', 'wait'],
  summary: 'Wait for the end of an asynchronous request; exits with 1 when it failed.',
  argument: id,
  flags: serviceFlags,
  settings: serviceSettings,
  run: async (context) => {
    const { argument, terminal, signal } = context
    const service = await openService(context)
    using bar = openProgressBar({ terminal, now: Date.now }, 'Working')
    const request = await followRequest(service, argument, { signal, onProgress: bar.report })
    return { text: describeRequest(request), json: { ...request }, healthy: request.outcome === 'succeeded' }
  },
}

export const cancelRequest: Command = {
  words: ['request', 'cancel'],
  summary: 'Cancel an asynchronous request, whether it waits or runs.',
  argument: id,
  flags: [yesFlag, ...serviceFlags],
  settings: serviceSettings,
  run: async (context) => {
    const { argument, signal } = context
    const service = await openService(context)
    await confirm(context, { warning: `This ends ${argument} and what it has made so far.`, unattended: 'proceed' })
    const request = await service.fetchJson<ShownRequest>(path(argument), { method: 'DELETE', signal })
    const rest = request.status === 'completed' ? '' : `\nIt ends at its next step or token; sepia request wait ${argument} tells when.`
    return { text: `${describeRequest(request)}${rest}`, json: { ...request } }
  },
}
