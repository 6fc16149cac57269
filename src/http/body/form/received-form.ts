import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../core/error.ts'
import type { Form } from '../../wire/forms/read-form-fields.ts'
import { type BodyGuards, countedBody } from '../counted-body.ts'
import { type IncomingFile, readForm } from './read-form.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a route takes multipart forms, and nothing else: whole in memory, or with files that are stored as they come in. */
    readonly form?: 'memory' | 'stored'
  }
}

/** A form whose reading begins when its route asks for it, so that a route may refuse it first. */
export class ReceivedForm {
  readonly #payload: IncomingMessage
  readonly #guards: BodyGuards

  constructor(payload: IncomingMessage, guards: BodyGuards) {
    this.#payload = payload
    this.#guards = guards
  }

  /** @throws {ServiceError} what {@link readForm} and {@link countedBody} throw. */
  read<File>(takeFile: (file: IncomingFile) => Promise<File>): Promise<Form<File>> {
    return readForm(countedBody(this.#payload, this.#guards), this.#payload.headers, takeFile)
  }

  /** Reads the form with its files in memory. */
  collect(): Promise<Form<Buffer>> {
    return this.read(async ({ content }) => Buffer.concat(await Array.fromAsync(content)))
  }
}

/** @throws {ServiceError} `unsupported_media_type` when a request came without a form. */
export function receivedForm({ body }: FastifyRequest): ReceivedForm {
  if (body instanceof ReceivedForm) return body
  throw noForm()
}

/** The error for a body that is no form. */
export function noForm(): ServiceError {
  return new ServiceError('unsupported_media_type', 'Send the body as a form, with Content-Type: multipart/form-data.', {
    param: 'content-type',
  })
}
