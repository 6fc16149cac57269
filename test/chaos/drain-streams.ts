import { setTimeout as pause } from 'node:timers/promises'
import { ServiceProcess, type ServiceSettings } from './service-process.ts'

/** How one SIGTERM in the middle of a stream went. */
export interface DrainReport {
  /** The stream came to its end, with [DONE]. */
  readonly streamFinished: boolean
  readonly exitCode: number | null
  /** Status of a deferred request after the restart: it went back to pending and was run. */
  readonly deferredOutcome: string
}

/** Ends the service with SIGTERM while it streams and draws, and starts it again. */
export async function drainDuringStream(settings: ServiceSettings, rounds: number): Promise<readonly DrainReport[]> {
  const reports: DrainReport[] = []
  await using service = new ServiceProcess(settings)
  for (let round = 0; round < rounds; round++) {
    await service.start()
    const deferred = await submitPicture(service, round)
    const stream = await openStream(service)
    const [text, exitCode] = await Promise.all([stream.readRest(), service.terminate()])
    await service.start()
    reports.push({
      streamFinished: text.trimEnd().endsWith('data: [DONE]'),
      exitCode,
      deferredOutcome: await waitForOutcome(service, deferred),
    })
    await service.terminate()
  }
  return reports
}

async function openStream(service: ServiceProcess): Promise<{ readonly readRest: () => Promise<string> }> {
  const body = {
    model: 'sepia-mini-chat',
    messages: [{ role: 'user', content: 'Tell a story.' }],
    max_tokens: 120,
    stream: true,
    min_p: 0.05,
  }
  const response = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: headers(service),
    body: JSON.stringify(body),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const first = await reader?.read()
  const readRest = async () => {
    let text = first?.value ?? ''
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value
    return text
  }
  return { readRest }
}

async function submitPicture(service: ServiceProcess, seed: number): Promise<string> {
  const body = JSON.stringify({ prompt: 'a tiger', steps: 12, seed })
  const response = await fetch(`${service.url}/generate/sdxl`, {
    method: 'POST',
    headers: { ...headers(service), 'x-service-async': '1' },
    body,
  })
  const answer = (await response.json()) as { readonly response_id: string }
  return answer.response_id
}

async function waitForOutcome(service: ServiceProcess, id: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(`${service.url}/v1/requests/${id}?wait=5`, { headers: headers(service) })
    const record = (await response.json()) as { readonly outcome?: string }
    if (record.outcome !== undefined) return record.outcome
    await pause(50)
  }
  return 'never'
}

function headers({ token }: ServiceProcess): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}
