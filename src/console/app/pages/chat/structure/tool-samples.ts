/** An example function. */
export const exampleTools = `{
  "name": "get_weather",
  "description": "The weather of a city, now.",
  "parameters": {
    "type": "object",
    "properties": { "city": { "type": "string" } },
    "required": ["city"]
  }
}`
