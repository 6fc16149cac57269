import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import OpenAI from 'openai'
import { startScriptedService } from '../../support/engines/scripted-service.ts'
import {
  deepSeek,
  glm,
  harmony,
  llama31,
  ministral,
  mistralNemo,
  qwen25,
  qwenCoder,
  taught,
} from '../../support/model-files/tool-family.ts'

const city = { type: 'string' }
const parameters = { type: 'object', properties: { city }, required: ['city'] }

suite("OpenAI's client runs tools", () => {
  for (const family of [taught, qwen25, qwenCoder, glm, deepSeek, mistralNemo, ministral, llama31, harmony])
    test(`until a model with the notation of ${family.name} answers`, async () => {
      await using opened = await startScriptedService({ model: family })
      const client = new OpenAI({ baseURL: `${opened.service.url}/v1`, apiKey: opened.service.token, maxRetries: 0 })
      const begin = family.talk?.begin ?? ''
      opened.models.model.say(family.write([{ name: 'get_weather', arguments: '{"city": "Paris {\\"}"}' }]), `${begin}It is 22 degrees.`)
      const requested: object[] = []
      const lookUp = (input: object): string => `${requested.push(input)} degrees`
      const conversation = client.chat.completions.runTools({
        model: family.name,
        messages: [{ role: 'user', content: 'How warm is it in Paris?' }],
        tools: [
          {
            type: 'function',
            function: { name: 'get_weather', description: 'The weather.', parameters, parse: JSON.parse, function: lookUp },
          },
        ],
        stream: true,
      })
      assert.equal(await conversation.finalContent(), 'It is 22 degrees.')
      assert.deepEqual(requested, [{ city: 'Paris {"}' }])
    })
})
