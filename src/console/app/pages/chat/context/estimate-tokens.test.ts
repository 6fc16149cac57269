import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { estimateTokens } from './estimate-tokens.ts'

/** Tokens counted by the built-in model smollm2-135m-instruct, with POST /tokenize. */
const counted = [
  [
    'English',
    52,
    'A context window is the amount of text that a language model can consider at once. When a conversation grows beyond it, the oldest messages have to be left out, or the model refuses to answer. Most models today hold between eight thousand and one million tokens.',
  ],
  [
    'German',
    106,
    'Ein Kontextfenster ist die Textmenge, die ein Sprachmodell gleichzeitig berücksichtigen kann. Wächst ein Gespräch darüber hinaus, müssen die ältesten Nachrichten wegfallen, sonst verweigert das Modell die Antwort. Die meisten Modelle fassen heute zwischen achttausend und einer Million Token.',
  ],
  [
    'French',
    104,
    "La fenêtre de contexte est la quantité de texte qu'un modèle de langue peut prendre en compte à la fois. Quand une conversation la dépasse, il faut laisser de côté les messages les plus anciens, sinon le modèle refuse de répondre. La plupart des modèles contiennent entre huit mille et un million de jetons.",
  ],
  [
    'Spanish',
    97,
    'Una ventana de contexto es la cantidad de texto que un modelo de lenguaje puede tener en cuenta a la vez. Cuando una conversación la supera, hay que dejar fuera los mensajes más antiguos, o el modelo se niega a responder. La mayoría de los modelos admiten entre ocho mil y un millón de fichas.',
  ],
  [
    'Russian',
    156,
    'Контекстное окно — это объём текста, который языковая модель может учитывать одновременно. Когда разговор выходит за его пределы, самые старые сообщения приходится опускать, иначе модель отказывается отвечать.',
  ],
  [
    'Arabic',
    156,
    'نافذة السياق هي مقدار النص الذي يستطيع النموذج اللغوي أن يأخذه في الحسبان دفعة واحدة. وعندما تتجاوزها المحادثة يجب حذف أقدم الرسائل، وإلا رفض النموذج الإجابة.',
  ],
  [
    'Hindi',
    221,
    'संदर्भ विंडो पाठ की वह मात्रा है जिसे एक भाषा मॉडल एक साथ ध्यान में रख सकता है। जब बातचीत उससे आगे बढ़ जाती है, तो सबसे पुराने संदेशों को छोड़ना पड़ता है, नहीं तो मॉडल उत्तर देने से मना कर देता है।',
  ],
  [
    'Thai',
    301,
    'หน้าต่างบริบทคือปริมาณข้อความที่แบบจำลองภาษาสามารถพิจารณาได้ในคราวเดียว เมื่อบทสนทนายาวเกินไป ข้อความที่เก่าที่สุดจะต้องถูกตัดออก มิฉะนั้นแบบจำลองจะปฏิเสธที่จะตอบ',
  ],
  [
    'Chinese',
    122,
    '上下文窗口是语言模型一次能够考虑的文本数量。当对话超出这个范围时，必须省略最早的消息，否则模型会拒绝回答。如今大多数模型可以容纳八千到一百万个词元。',
  ],
  [
    'Japanese',
    153,
    'コンテキストウィンドウとは、言語モデルが一度に考慮できるテキストの量のことです。会話がそれを超えると、最も古いメッセージを省く必要があり、そうしないとモデルは回答を拒否します。',
  ],
  [
    'Korean',
    186,
    '컨텍스트 창은 언어 모델이 한 번에 고려할 수 있는 텍스트의 양이다. 대화가 그보다 길어지면 가장 오래된 메시지를 빼야 하며, 그렇지 않으면 모델이 대답을 거부한다.',
  ],
  [
    'Python',
    91,
    `def read_rows(path, *, limit=None):
    """Yields the rows of a CSV file as dictionaries."""
    with open(path, newline="", encoding="utf-8") as file:
        for index, row in enumerate(csv.DictReader(file)):
            if limit is not None and index >= limit:
                return
            yield {key.strip(): value or None for key, value in row.items()}
`,
  ],
] as const

suite('tokens are estimated to within 25 %', () => {
  for (const [language, tokens, text] of counted)
    test(language, () => {
      const ratio = estimateTokens(text) / tokens
      assert.ok(ratio > 0.75 && ratio < 1.25, `${ratio}`)
    })
})

test('an empty text has no tokens, and a long one has as many per character as its beginning', () => {
  assert.equal(estimateTokens(''), 0)
  assert.equal(estimateTokens('字'.repeat(1_000_000)), 1_600_000)
})
