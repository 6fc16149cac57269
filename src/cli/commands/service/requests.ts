import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { formatBytes } from '../../../core/byte-size.ts'
import { checkPlace } from '../../check-place.ts'
import { type Command, confirm, yesFlag } from '../../command.ts'
import { printable, textTable } from '../../printed-text.ts'
import { openProgressBar } from '../../progress-bar.ts'
import { openService, serviceCommand, serviceFlags, serviceSettings } from '../../service/open-service.ts'
import { describeRequest, describeStatus, followRequest, type ShownRequest } from '../../service/shown-request.ts'

const id = { name: '<id>', help: 'The response_id of an asynchronous request; sepia request list shows them.' }
const path = (argument: string) => `/v1/requests/${encodeURIComponent(argument)}`

export const listRequests: Command = serviceCommand({
  words: ['request', 'list'],
  summary: 'List your asynchronous requests, newest first.',
  flags: [
    { name: 'status', form: '<status>', help: 'Only requests with this status: pending, running or completed.' },
    { name: 'limit', form: '<number>', help: 'How many, 1 to 100; default 20.' },
  ],
  run: async (service, { flags, signal }) => {
    const query = new URLSearchParams([...flags].filter(([name]) => name === 'status' || name === 'limit'))
    const { data } = await service.fetchJson<{ readonly data: readonly ShownRequest[] }>(`/v1/requests?${query}`, { signal })
    const rows = data.map((request) => [
      request.response_id,
      describeStatus(request),
      request.outcome ?? '',
      request.created_at.slice(0, 19),
      request.model,
    ])
    return {
      text: textTable(['ID', 'STATUS', 'OUTCOME', 'CREATED (UTC)', 'MODEL'], rows) || 'No requests found.',
      heading: rows.length > 0,
      json: { requests: data },
    }
  },
})

export const showRequest: Command = serviceCommand({
  words: ['request', 'show'],
  summary: 'Show the state of an asynchronous request.',
  argument: id,
  run: async (service, { argument, signal }) => {
    const request = await service.fetchJson<ShownRequest>(path(argument), { signal })
    return { text: describeRequest(request), json: { ...request } }
  },
})

export const waitForRequest: Command = serviceCommand({
  words: ['request', 'wait'],
  summary: 'Wait until an asynchronous request ends; exits with 1 if it failed.',
  argument: id,
  run: async (service, { argument, terminal, signal }) => {
    using bar = openProgressBar({ terminal, now: Date.now }, 'Working')
    const request = await followRequest(service, argument, { signal, onProgress: bar.report })
    return { text: describeRequest(request), json: { ...request }, healthy: request.outcome === 'succeeded' }
  },
})

export const cancelRequest: Command = serviceCommand({
  words: ['request', 'cancel'],
  summary: 'Cancel an asynchronous request that waits or runs.',
  argument: id,
  flags: [yesFlag],
  run: async (service, context) => {
    const { argument, program, signal } = context
    refuseFinished(await service.fetchJson<ShownRequest>(path(argument), { signal }))
    await confirm(context, { warning: `This ends ${argument} and discards its result so far.`, unattended: 'proceed' })
    const request = await service.fetchJson<ShownRequest>(path(argument), { method: 'DELETE', signal })
    if (request.outcome !== 'cancelled') refuseFinished(request)
    const rest =
      request.status === 'completed' ? '' : `\nIt ends at its next step or token; run ${program} request wait ${argument} to wait for that.`
    return { text: `${describeRequest(request)}${rest}`, json: { ...request } }
  },
})

function refuseFinished({ response_id: id, status, outcome }: ShownRequest): void {
  if (status === 'completed') throw new Error(`${id} is already completed (${outcome}); there is nothing to cancel.`)
}

/** The fields of outputs that hold pictures. */
interface Output {
  readonly images?: readonly { readonly image_b64: string | null }[]
}

export const fetchOutput: Command = {
  words: ['request', 'output'],
  summary: 'Print the output of a completed request as JSON, or save its image; for a failed text request, print the text so far.',
  argument: id,
  flags: [
    {
      name: 'output',
      form: '<file>',
      help: 'The file to write, replaced if it exists. A name that ends in .json gets the whole output; any other, the first image of an image request.',
    },
    ...serviceFlags,
  ],
  settings: serviceSettings,
  run: async (context) => {
    const { argument, flags, terminal, signal } = context
    const named = flags.get('output')
    const file = named === undefined ? null : resolve(named)
    if (file !== null) await checkPlace(file, { where: '--output', replaces: true })
    const service = await openService(context)
    let healthy = true
    const output = await service.fetchJson<Output>(`/v1/responses/${encodeURIComponent(argument)}`, { signal }).catch(async (error) => {
      const poll = service.fetchJson<{ readonly partial_output?: Output }>(path(argument), { signal })
      const written = (await poll.catch(() => null))?.partial_output
      if (written === undefined) throw error
      terminal.err(`${printable(error.message)} The output is what it had written.\n`)
      healthy = false
      return written
    })
    const text = JSON.stringify(output)
    if (file === null) return { text, json: { ...output }, healthy }
    const picture = file.endsWith('.json') ? undefined : output.images?.[0]?.image_b64
    const bytes = picture == null ? Buffer.from(`${text}\n`) : Buffer.from(picture, 'base64')
    await writeFile(file, bytes)
    return { text: `Wrote ${file} (${formatBytes(bytes.length)}).`, json: { file, bytes: bytes.length }, healthy }
  },
}
