import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createCohere } from '@ai-sdk/cohere'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { openai as llamaIndexOpenAi } from '@llamaindex/openai'
import { generateText, jsonSchema, rerank, streamText, tool } from 'ai'
import type { ClientTarget } from './client-target.ts'

const parameters = { type: 'object', properties: {}, additionalProperties: false } as const

/** The frameworks that many programs are built on, unmodified: the ai SDK, LangChain and LlamaIndex, over each interface they know. */
export function testFrameworks(name: string, start: () => Promise<ClientTarget>): void {
  suite(`frameworks against ${name}`, () => {
    let target: ClientTarget
    before(async () => {
      target = await start()
    })
    after(() => target[Symbol.asyncDispose]())

    const openAi = () => createOpenAI({ baseURL: `${target.url}/v1`, apiKey: target.token })
    const models = {
      'the ai SDK, over Responses': () => openAi().responses(target.chatModel),
      'the ai SDK, over chat completions': () => openAi().chat(target.chatModel),
      'the ai SDK, over an OpenAI-compatible server': () =>
        createOpenAICompatible({ name: 'sepia', baseURL: `${target.url}/v1`, apiKey: target.token })(target.chatModel),
      'the ai SDK, over Messages': () => createAnthropic({ baseURL: `${target.url}/v1`, apiKey: target.token })(target.chatModel),
    }
    for (const [through, model] of Object.entries(models))
      test(`${through}: whole, streamed, and with a tool`, async () => {
        const requested = { model: model(), prompt: target.question, maxOutputTokens: 24, maxRetries: 0 }
        const whole = await generateText(requested)
        assert.ok(whole.text.length > 0)
        let streamed = ''
        for await (const text of streamText(requested).textStream) streamed += text
        assert.ok(streamed.length > 0)
        const tools = { look_up: tool({ description: 'Looks up', inputSchema: jsonSchema(parameters), execute: async () => 'Nothing' }) }
        const { toolCalls, toolResults } = await generateText({ ...requested, maxOutputTokens: 200, tools, toolChoice: 'required' })
        assert.equal(toolCalls[0]?.toolName, 'look_up')
        assert.equal(toolResults[0]?.output, 'Nothing')
        // The client refers to stored answers, or sends them back with its own fields.
        const question = { role: 'user' as const, content: target.question }
        const { messages } = whole.response
        const next = await generateText({ model: model(), messages: [question, ...messages, question], maxOutputTokens: 24, maxRetries: 0 })
        assert.ok(next.text.length > 0)
      })

    const chats = {
      'LangChain, over chat completions': () => langChainOpenAi(target, false),
      'LangChain, over Responses': () => langChainOpenAi(target, true),
      'LangChain, over Messages': () =>
        new ChatAnthropic({ model: target.chatModel, apiKey: target.token, anthropicApiUrl: target.url, maxTokens: 200, maxRetries: 0 }),
    }
    for (const [through, chat] of Object.entries(chats))
      test(`${through}: whole, streamed, and with a tool`, async () => {
        assert.ok((await chat().invoke(target.question)).text.length > 0)
        let streamed = ''
        for await (const chunk of await chat().stream(target.question)) streamed += chunk.text
        assert.ok(streamed.length > 0)
        const described = { type: 'function' as const, function: { name: 'look_up', description: 'Looks up', parameters } }
        const answer = await chat().bindTools([described], { tool_choice: 'look_up' }).invoke(target.question)
        assert.equal(answer.tool_calls?.[0]?.name, 'look_up')
        const results = (answer.tool_calls ?? []).map(({ id = '' }) => new ToolMessage({ tool_call_id: id, content: 'Nothing' }))
        const turns = [new HumanMessage(target.question), answer, ...results, new HumanMessage(target.question)]
        assert.ok((await chat().invoke(turns)).text.length > 0)
      })

    test("the ai SDK ranks documents, over Cohere's interface", async (context) => {
      if (target.rankModel === undefined) return context.skip('The target has no reranker')
      const cohere = createCohere({ baseURL: `${target.url}/v2`, apiKey: target.token })
      const documents = ['a ship at sea', 'a fox in the snow', 'the moon']
      const requested = { model: cohere.reranking(target.rankModel), query: 'a fox in the snow', maxRetries: 0 }
      const { ranking, rerankedDocuments } = await rerank({ ...requested, documents, topN: 2 })
      assert.deepEqual([ranking.length, ranking[0]?.originalIndex, rerankedDocuments[0]], [2, 1, documents[1]])
    })

    test('LlamaIndex, over chat completions: whole and streamed', async () => {
      const model = llamaIndexOpenAi({ model: target.chatModel, apiKey: target.token, baseURL: `${target.url}/v1`, maxTokens: 24 })
      const messages = [{ role: 'user' as const, content: target.question }]
      assert.ok(String((await model.chat({ messages })).message.content).length > 0)
      let streamed = ''
      for await (const { delta } of await model.chat({ messages, stream: true })) streamed += delta
      assert.ok(streamed.length > 0)
    })
  })
}

function langChainOpenAi(target: ClientTarget, useResponsesApi: boolean): ChatOpenAI {
  const configuration = { baseURL: `${target.url}/v1` }
  return new ChatOpenAI({ model: target.chatModel, apiKey: target.token, configuration, maxTokens: 200, maxRetries: 0, useResponsesApi })
}
