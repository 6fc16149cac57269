import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../core/error.ts'
import type { Form } from '../../wire/forms/read-form-fields.ts'
import { type BodyGuards, countedBody } from '../counted-body.ts'
import { type IncomingFile, readForm } from './read-form.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes that take only multipart forms: `memory` reads them whole, `stored` stores the files as they arrive. */
    readonly form?: 'memory' | 'stored' | undefined
  }
}

/** A form that is not read until its route asks for it, so that the route can refuse it first. */
export class ReceivedForm {
  readonly #payload: IncomingMessage
  readonly #guards: BodyGuards

  constructor(payload: IncomingMessage, guards: BodyGuards) {
    this.#payload = payload
    this.#guards = guards
  }

  /** @throws {ServiceError} the errors of {@link readForm} and {@link countedBody}. */
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
  throw notForm()
}

/** The error for a body that is not a form. */
export function notForm(): ServiceError {
  return new ServiceError('unsupported_media_type', 'Send the body as a form, with Content-Type: multipart/form-data.', {
    param: 'content-type',
  })
}
