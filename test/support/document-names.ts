import { readFileSync } from 'node:fs'
import path from 'node:path'
import { readTree } from '../house-rules/rules/tree.ts'

const root = path.resolve(import.meta.dirname, '../..')
const PROGRAM =
  /^(?:[A-Z_]+=\S+ +)*(?:npm|npx|node|node_modules\/\S+|git|openssl|useradd|chown|chmod|sudo|su|cp|cat|mkdir|cd|sed|curl|haproxy|apt-get|systemctl|systemd-[\w-]+|python3|docker|kubectl)(?: |$)(?!:)/
const BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm
/** Languages of blocks with commands. */
const SHELL = ['', 'sh', 'bash']
const CODE = /(?<!`)`([^`]+)`(?!`)/g
const METHOD = /^(?:(GET|POST|PUT|PATCH|DELETE) )?(\/[^\s]*)$/

export interface Named {
  document: string
  text: string
}

/** What documents stand for: not the changelog, whose past stays, and no record that another one has replaced. */
const documents = (): Named[] =>
  readTree(root)
    .files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .map((document) => ({ document, text: readFileSync(path.join(root, document), 'utf8') }))
    .filter(({ text }) => !/^Status: superseded/m.test(text))

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Every command that a document names, in a block or in a sentence, once for each document. */
export function namedCommands(): Named[] {
  return documents().flatMap(({ document, text }) => {
    const blocks = [...text.matchAll(BLOCK)].flatMap(([, language = '', block = '']) =>
      SHELL.includes(language) ? [block.replaceAll(/\\\n\s*/g, '')] : [],
    )
    const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/ +#.*$/, ''))
    const prose = text.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, '')
    const inSentences = [...prose.matchAll(CODE)].map(([, code = '']) => code)
    const commands = [...lines, ...inSentences]
      .map(oneLine)
      .filter((line) => PROGRAM.test(line) && /\s/.test(line))
    return [...new Set(commands)].map((command) => ({ document, text: command }))
  })
}

/** An address of a shop or an emulator, with the method where a document gives one. */
export interface NamedAddress {
  document: string
  method: string | undefined
  address: string
}

/** Every address that a document names in a sentence. */
export function namedAddresses(): NamedAddress[] {
  return documents().flatMap(({ document, text }) => {
    const prose = text.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, '')
    const found = new Set([...prose.matchAll(CODE)].map(([, code = '']) => oneLine(code)))
    return [...found].flatMap((code) => {
      const [, method, address] = METHOD.exec(code) ?? []
      return address === undefined ? [] : [{ document, method, address }]
    })
  })
}
