/**
 * Time stamps of RFC 3161 (docs/draw-v1.md, section 6). Loaded only where there are some: the library that reads and checks
 * them is larger than the rest of a verification.
 */
import { fromBER } from 'asn1js'
import * as asn1 from 'asn1js'
import {
  AlgorithmIdentifier,
  Certificate,
  CryptoEngine,
  type ExtKeyUsage,
  MessageImprint,
  SignedData,
  type SignedDataVerifyParams,
  type SignerInfo,
  TSTInfo,
  TimeStampReq,
  TimeStampResp,
} from 'pkijs'
import { fromHex, sameBytes, toHex, toText } from './bytes.ts'
import { DrawFault } from './faults.ts'
import { MOST_STAMP_BYTES, type Stamp } from './stamps.ts'

const SHA256 = '2.16.840.1.101.3.4.2.1'
/** Of the content that an authority signs. */
const DIGESTS: Readonly<Record<string, string>> = {
  [SHA256]: 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
}
const ELLIPTIC_KEY = '1.2.840.10045.2.1'
/** Its first byte in DER. */
const SEQUENCE = 0x30
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12'
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const ORGANISATION = '2.5.4.10'
const COMMON_NAME = '2.5.4.3'
const LONGEST_NAME = 60
/** How many issuers are looked for: certificates could name each other in a circle. */
const MOST_ISSUERS = 32

/** What is checked of a stamp. */
interface Asked {
  /** Those that are trusted, DER. */
  certificates: readonly Uint8Array[]
  /** SHA-256 of what was stamped, in hexadecimal. */
  hash: string
}

/** Checks a time stamp. @throws DrawFault `stamp-form`, `stamp-other` or `stamp-foreign` */
export async function checkStamp(bytes: Uint8Array, { certificates, hash }: Asked): Promise<Stamp> {
  const token = readToken(bytes)
  const found = toHex(token.imprint)
  if (token.imprintAlgorithm !== SHA256 || found !== hash)
    throw new DrawFault('stamp-other', 0, { expected: hash, found })
  try {
    const signer = await signerOf(token, certificates, fromHex(hash))
    return { time: Math.floor(token.time.getTime() / 1000), name: nameOf(signer) }
  } catch {
    throw new DrawFault('stamp-foreign', 0)
  }
}

/** A request for a time stamp, DER. @param hash SHA-256 in hexadecimal @param nonce returns in the stamp */
export function stampRequest(hash: string, nonce: Uint8Array): Uint8Array {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA256, algorithmParams: new asn1.Null() }),
      hashedMessage: new asn1.OctetString({ valueHex: new Uint8Array(fromHex(hash)).buffer }),
    }),
    nonce: positive(nonce),
    certReq: true,
  })
  return new Uint8Array(request.toSchema().toBER())
}

/** Whether a stamp is the answer to a request with this nonce. @throws DrawFault `stamp-form` */
export const hasNonce = (bytes: Uint8Array, nonce: Uint8Array): boolean =>
  readToken(bytes).nonce === toHex(positive(nonce).valueBlock.valueHexView)

interface Token {
  signed: SignedData
  signer: SignerInfo
  time: Date
  imprint: Uint8Array
  imprintAlgorithm: string
  /** Hexadecimal, without zeros in front. */
  nonce: string | null
}

function readToken(bytes: Uint8Array): Token {
  try {
    if (bytes.length > MOST_STAMP_BYTES) throw new Error('it is too long')
    checkLengths(bytes)
    const { status, timeStampToken } = TimeStampResp.fromBER(new Uint8Array(bytes))
    if (status.status !== 0 && status.status !== 1) throw new Error('there is no stamp')
    if (timeStampToken?.contentType !== SIGNED_DATA) throw new Error('it is not signed')
    const signed = new SignedData({ schema: timeStampToken.content })
    const [signer, ...others] = signed.signerInfos
    if (!signer || others.length > 0) throw new Error('it needs one signer')
    const { eContentType, eContent } = signed.encapContentInfo
    if (eContentType !== TST_INFO || !eContent) throw new Error('it is no time stamp')
    const content = new Uint8Array(eContent.getValue())
    checkLengths(content)
    const info = TSTInfo.fromBER(content)
    if (info.version !== 1) throw new Error('its version is another one')
    const { hashAlgorithm, hashedMessage } = info.messageImprint
    return {
      signed,
      signer,
      time: timeIn(content),
      imprint: hashedMessage.valueBlock.valueHexView,
      imprintAlgorithm: hashAlgorithm.algorithmId,
      nonce: info.nonce ? shortest(toHex(info.nonce.valueBlock.valueHexView)) : null,
    }
  } catch {
    throw new DrawFault('stamp-form', 0)
  }
}

const shortest = (hex: string): string => hex.replace(/^(?:00)+(?=..)/, '')

/** A number that no reader takes for a negative one. */
function positive(bytes: Uint8Array): asn1.Integer {
  const valueHex = new Uint8Array([0x01, ...bytes])
  return new asn1.Integer({ valueHex: valueHex.buffer })
}

/** The time as it is written: a library would take other forms, too. */
function timeIn(content: Uint8Array): Date {
  const { result } = fromBER(content)
  const times = (result as asn1.Sequence).valueBlock.value.filter(
    (one) => one instanceof asn1.GeneralizedTime,
  )
  const text = toText(times[0]!.valueBlock.valueHexView)
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text)
  if (!parts) throw new Error('its time has another form')
  const [, year, month, day, hour, minute, second] = parts
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const time = new Date(iso)
  if (Number.isNaN(time.getTime()) || time.toISOString() !== iso) throw new Error('there is no such time')
  return time
}

/** Refuses what is not DER: lengths that are left open or longer than they need be, and bytes after the end. */
function checkLengths(bytes: Uint8Array): void {
  const at = element(bytes, 0, bytes.length)
  if (at !== bytes.length) throw new Error('something follows')
}

/** @returns where the element ends */
function element(bytes: Uint8Array, from: number, end: number): number {
  const byte = (at: number): number => {
    if (at >= end) throw new Error('it is cut off')
    return bytes[at]!
  }
  let at = from
  const tag = byte(at)
  at += 1
  if ((tag & 0x1f) === 0x1f) while ((byte(at++) & 0x80) !== 0);
  let length = byte(at)
  at += 1
  if (length >= 0x80) {
    const count = length & 0x7f
    if (count === 0 || count > 3 || byte(at) === 0) throw new Error('its length is left open or too long')
    length = 0
    for (let more = 0; more < count; more += 1) length = length * 256 + byte(at++)
    if (length < 0x80) throw new Error('its length is longer than it need be')
  }
  const last = at + length
  if (last > end) throw new Error('it is cut off')
  if ((tag & 0x20) !== 0) while (at < last) at = element(bytes, at, last)
  return last
}

type AlgorithmIdentifierOf = Parameters<CryptoEngine['digest']>[0]

/** Takes the hash of the content for granted, which nobody has here: it was compared. */
class KnownHash extends CryptoEngine {
  private readonly hash: Uint8Array

  constructor(hash: Uint8Array) {
    super({ name: 'known', crypto: globalThis.crypto })
    this.hash = hash
  }

  override async digest(algorithm: AlgorithmIdentifierOf, data: BufferSource): Promise<ArrayBuffer> {
    const view = data instanceof ArrayBuffer ? new Uint8Array(data) : data
    return view instanceof Uint8Array && sameBytes(view, this.hash)
      ? new Uint8Array(this.hash).buffer
      : await super.digest(algorithm, data)
  }
}

/** The certificate of whoever signed the stamp, once all of section 6 holds; throws otherwise. */
async function signerOf(
  { signed, signer, time }: Token,
  certificates: readonly Uint8Array[],
  hash: Uint8Array,
): Promise<Certificate> {
  if (!(signer.digestAlgorithm.algorithmId in DIGESTS)) throw new Error('the hash is not allowed')
  const listed = signed.digestAlgorithms.map(({ algorithmId }) => algorithmId)
  if (!listed.includes(signer.digestAlgorithm.algorithmId)) throw new Error('the hash is not listed')
  const trustedCerts = certificates.map((one) => Certificate.fromBER(new Uint8Array(one)))
  // Revocation is not asked for, and what a token itself says of it neither.
  signed.crls = []
  signed.ocsps = []
  let looked = 0
  const findIssuer: SignedDataVerifyParams['findIssuer'] = async (certificate, engine, crypto) => {
    looked += 1
    if (looked > MOST_ISSUERS) throw new Error('too many certificates')
    return await engine.defaultFindIssuer(certificate, engine, crypto)
  }
  const engine = new KnownHash(hash)
  const verify = async (checkChain: boolean) =>
    await signed.verify(
      {
        signer: 0,
        data: new Uint8Array(hash).buffer,
        trustedCerts,
        checkChain,
        checkDate: time,
        passedWhenNotRevValues: true,
        extendedMode: true,
        findIssuer,
      },
      engine,
    )
  const { signatureVerified, signerCertificate } = await verify(false)
  if (!signatureVerified || !signerCertificate) throw new Error('the signature is false')
  checkUsage(signerCertificate)
  checkSignatureForm(signer, signerCertificate)
  checkContentType(signer)
  await checkSigningCertificate(signer, signerCertificate)
  const isAnchor = trustedCerts.some((one) => sameBytes(derOf(one), derOf(signerCertificate)))
  if (!isAnchor) await verify(true)
  else if (time < signerCertificate.notBefore.value || time > signerCertificate.notAfter.value)
    throw new Error('the certificate was not valid at that time')
  return signerCertificate
}

const derOf = (certificate: Certificate): Uint8Array => new Uint8Array(certificate.toSchema().toBER())

function checkUsage({ extensions = [] }: Certificate): void {
  const usage = extensions.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE)
  const { keyPurposes } = (usage?.parsedValue ?? { keyPurposes: [] }) as ExtKeyUsage
  if (!usage?.critical || keyPurposes.length !== 1 || keyPurposes[0] !== TIME_STAMPING)
    throw new Error('the certificate is not one for time stamps')
}

/** Two numbers of an ECDSA signature stand in DER, where the library takes more. */
function checkSignatureForm({ signature }: SignerInfo, { subjectPublicKeyInfo }: Certificate): void {
  if (subjectPublicKeyInfo.algorithm.algorithmId !== ELLIPTIC_KEY) return
  const bytes = signature.valueBlock.valueHexView
  checkLengths(bytes)
  if (bytes[0] !== SEQUENCE) throw new Error('the signature has another form')
}

/** The value of a signed attribute, which is there once. */
function attributeOf({ signedAttrs }: SignerInfo, type: string): asn1.BaseBlock | undefined {
  const found = signedAttrs?.attributes.filter((one) => one.type === type) ?? []
  if (found.length > 1 || (found[0] && found[0].values.length !== 1))
    throw new Error('an attribute is there twice')
  return found[0]?.values[0] as asn1.BaseBlock | undefined
}

function checkContentType(signer: SignerInfo): void {
  const type = attributeOf(signer, CONTENT_TYPE)
  if (!(type instanceof asn1.ObjectIdentifier) || type.getValue() !== TST_INFO)
    throw new Error('the signed type is another one')
}

/** Compares the certificate with its hash among the signed attributes, which the library does not. */
async function checkSigningCertificate(signer: SignerInfo, certificate: Certificate): Promise<void> {
  const second = attributeOf(signer, SIGNING_CERTIFICATE_V2)
  const attribute = second ?? attributeOf(signer, SIGNING_CERTIFICATE)
  const [first, next] = partsOf(partsOf(partsOf(attribute)[0])[0])
  const [named] = partsOf(first)
  const isOther = second !== undefined && named instanceof asn1.ObjectIdentifier
  const algorithm = isOther ? DIGESTS[named.getValue()] : second ? 'SHA-256' : 'SHA-1'
  const value = isOther ? next : first
  if (algorithm === undefined || !(value instanceof asn1.OctetString))
    throw new Error('no hash of the certificate')
  const expected = await globalThis.crypto.subtle.digest(algorithm, new Uint8Array(derOf(certificate)))
  if (!sameBytes(new Uint8Array(expected), value.valueBlock.valueHexView))
    throw new Error('the signature names another certificate')
}

const partsOf = (block: asn1.BaseBlock | undefined): asn1.BaseBlock[] =>
  block instanceof asn1.Sequence ? (block.valueBlock.value as asn1.BaseBlock[]) : []

/** What a certificate calls its owner, which anybody can choose, as a part of a sentence: on one line, and not endless. */
function nameOf({ subject }: Certificate): string {
  const named = (type: string): string | undefined =>
    subject.typesAndValues.find((one) => one.type === type)?.value.valueBlock.value
  const name = named(ORGANISATION) ?? named(COMMON_NAME) ?? ''
  const letters = Array.from(name.replaceAll(/[\p{C}\p{Z}“”„«»‘"]+/gu, ' ').trim())
  return letters.length > LONGEST_NAME
    ? `${letters.slice(0, LONGEST_NAME).join('').trimEnd()}...`
    : letters.join('')
}
