/**
 * Time stamps of RFC 3161 (docs/draw-v1.md, section 6). Loaded only where there are some: the library that reads and checks
 * them is larger than the rest of a verification.
 */
import * as asn1 from 'asn1js'
import {
  AlgorithmIdentifier,
  type AltName,
  type BasicConstraints,
  Certificate,
  CryptoEngine,
  type ExtKeyUsage,
  type Extension,
  GeneralName,
  IssuerAndSerialNumber,
  MessageImprint,
  type RelativeDistinguishedNames,
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
/** A signature under them names either the key, which ECDSA does not allow, or key and hash. */
const RSA_KEY = '1.2.840.113549.1.1.1'
const ELLIPTIC_KEY = '1.2.840.10045.2.1'
const SIGNATURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [RSA_KEY]: {
    'SHA-256': '1.2.840.113549.1.1.11',
    'SHA-384': '1.2.840.113549.1.1.12',
    'SHA-512': '1.2.840.113549.1.1.13',
  },
  [ELLIPTIC_KEY]: {
    'SHA-256': '1.2.840.10045.4.3.2',
    'SHA-384': '1.2.840.10045.4.3.3',
    'SHA-512': '1.2.840.10045.4.3.4',
  },
}
/** Of one certificate by another: with SHA-1, too, and by RSASSA-PSS. */
const CERTIFICATE_SIGNATURES = [
  ...Object.values(SIGNATURES).flatMap((one) => Object.values(one)),
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
  '1.2.840.113549.1.1.10',
]
/** P-256, P-384 and P-521. */
const CURVES = ['1.2.840.10045.3.1.7', '1.3.132.0.34', '1.3.132.0.35']
/** First bytes in DER. */
const INTEGER = 0x02
const SEQUENCE = 0x30
/** Numbers of the types of DER that hold elements: all others are in one piece. */
const HOLDING = [8, 11, 16, 17]
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12'
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47'
const KEY_USAGE = '2.5.29.15'
/** The bits digitalSignature and nonRepudiation. */
const SIGNING_BITS = 0xc0
const ALTERNATIVE_NAMES = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const EXTENDED_KEY_USAGE = '2.5.29.37'
/** Extensions that are looked at: another one that is critical is not understood (RFC 5280, section 4.2). */
const EXTENSIONS = new Set([15, 17, 19, 30, 31, 32, 33, 36, 37, 54].map((number) => `2.5.29.${number}`))
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
/** Of the kinds of names, that of a certificate's owner. */
const DIRECTORY_NAME = 4
/** The class of tags whose meaning depends on their place. */
const CONTEXT = 3
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
  certificates: Certificate[]
  time: Date
  imprint: Uint8Array
  imprintAlgorithm: string
  /** Hexadecimal, without zeros in front. */
  nonce: string | null
  /** What the content calls the authority. */
  tsa: GeneralName | null
}

function readToken(bytes: Uint8Array): Token {
  try {
    if (bytes.length > MOST_STAMP_BYTES) throw new Error('it is too long')
    checkForm(bytes)
    const { status, timeStampToken } = TimeStampResp.fromBER(new Uint8Array(bytes))
    if (status.status !== 0 && status.status !== 1) throw new Error('there is no stamp')
    if (timeStampToken?.contentType !== SIGNED_DATA) throw new Error('it is not signed')
    const signed = new SignedData({ schema: timeStampToken.content })
    const [signer, ...others] = signed.signerInfos
    if (!signer || others.length > 0) throw new Error('it needs one signer')
    const { certificates = [] } = signed
    if (!certificates.every((one) => one instanceof Certificate))
      throw new Error('it has something else than certificates')
    const { eContentType, eContent } = signed.encapContentInfo
    if (eContentType !== TST_INFO || !eContent) throw new Error('it is no time stamp')
    const content = new Uint8Array(eContent.getValue())
    checkForm(content)
    const info = TSTInfo.fromBER(content)
    if (info.version !== 1) throw new Error('its version is another one')
    const { hashAlgorithm, hashedMessage } = info.messageImprint
    return {
      signed,
      signer,
      certificates,
      time: timeIn(content),
      imprint: hashedMessage.valueBlock.valueHexView,
      imprintAlgorithm: hashAlgorithm.algorithmId,
      nonce: info.nonce ? shortest(toHex(info.nonce.valueBlock.valueHexView)) : null,
      tsa: tsaIn(content),
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
  const times = partsOf(asn1.fromBER(content).result).filter((one) => one instanceof asn1.GeneralizedTime)
  const text = toText(times[0]!.valueBlock.valueHexView)
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text)
  if (!parts) throw new Error('its time has another form')
  const [, year, month, day, hour, minute, second] = parts
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const time = new Date(iso)
  if (!(time.getTime() >= 0) || time.toISOString() !== iso) throw new Error('there is no such time')
  return time
}

/** The name as it is written: a library would take one of several. */
function tsaIn(content: Uint8Array): GeneralName | null {
  const tagged = partsOf(asn1.fromBER(content).result).find((one) => tagOf(one) === 0)
  if (!tagged) return null
  const [name, ...others] = partsOf(tagged)
  if (others.length > 0) throw new Error('it has two names')
  return new GeneralName({ schema: name })
}

/**
 * Refuses what is not DER: lengths that are left open, lengths and integers that are longer than they need be, strings in
 * pieces, and bytes after the end.
 */
function checkForm(bytes: Uint8Array): void {
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
  const isHolding = (tag & 0x20) !== 0
  if ((tag & 0xc0) === 0 && isHolding !== HOLDING.includes(tag & 0x1f)) throw new Error('it is in pieces')
  if (tag === INTEGER && (length === 0 || (length > 1 && isPadding(byte(at), byte(at + 1)))))
    throw new Error('a number is longer than it need be')
  if (isHolding) while (at < last) at = element(bytes, at, last)
  return last
}

const isPadding = (first: number, second: number): boolean => first === (second < 0x80 ? 0x00 : 0xff)

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
  { signed, signer, certificates: given, time, tsa }: Token,
  certificates: readonly Uint8Array[],
  hash: Uint8Array,
): Promise<Certificate> {
  if (!(signer.digestAlgorithm.algorithmId in DIGESTS)) throw new Error('the hash is not allowed')
  if (!(signer.sid instanceof IssuerAndSerialNumber)) throw new Error('the signer is named by something else')
  const listed = signed.digestAlgorithms.map(({ algorithmId }) => algorithmId)
  if (!listed.includes(signer.digestAlgorithm.algorithmId)) throw new Error('the hash is not listed')
  const trustedCerts = certificates.map((one) => {
    checkForm(one)
    return Certificate.fromBER(new Uint8Array(one))
  })
  for (const one of [...trustedCerts, ...given]) checkKinds(one)
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
  const verify = async (anchors?: Certificate[]) =>
    await signed.verify(
      {
        signer: 0,
        data: new Uint8Array(hash).buffer,
        trustedCerts: anchors ?? [],
        checkChain: anchors !== undefined,
        checkDate: time,
        passedWhenNotRevValues: true,
        extendedMode: true,
        findIssuer,
      },
      engine,
    )
  const { signatureVerified, signerCertificate } = await verify()
  if (!signatureVerified || !signerCertificate) throw new Error('the signature is false')
  checkUsage(signerCertificate)
  checkSignatureForm(signer, signerCertificate)
  checkContentType(signer)
  if (tsa && !isCalled(signerCertificate, tsa)) throw new Error('the authority has another name')
  if (time < signerCertificate.notBefore.value || time > signerCertificate.notAfter.value)
    throw new Error('the certificate was not valid at that time')
  const others = trustedCerts.filter((one) => !sameBytes(derOf(one), derOf(signerCertificate)))
  const isAnchor = others.length < trustedCerts.length
  const chain = await verify(others).then(
    ({ certificatePath }) => certificatePath,
    (error: unknown) => {
      if (!isAnchor) throw error
      return [signerCertificate]
    },
  )
  checkPathLengths(chain)
  if (!chain.flatMap(({ extensions = [] }) => extensions).every(isUnderstood))
    throw new Error('a certificate has a critical extension that nobody understands here')
  await checkSigningCertificates(signer, chain)
  return signerCertificate
}

const derOf = (certificate: Certificate): Uint8Array => new Uint8Array(certificate.toSchema().toBER())

const isUnderstood = ({ critical, extnID }: Extension): boolean => !critical || EXTENSIONS.has(extnID)

/** An extension of a certificate, which is there once. */
function extensionOf({ extensions = [] }: Certificate, id: string): Extension | undefined {
  const found = extensions.filter(({ extnID }) => extnID === id)
  if (found.length > 1) throw new Error('an extension is there twice')
  return found[0]
}

function checkKinds({ subjectPublicKeyInfo, signatureAlgorithm, issuer, subject }: Certificate): void {
  const { algorithmId, algorithmParams: curve } = subjectPublicKeyInfo.algorithm
  const isElliptic = algorithmId === ELLIPTIC_KEY && curve instanceof asn1.ObjectIdentifier
  if (algorithmId !== RSA_KEY && !(isElliptic && CURVES.includes(curve.getValue())))
    throw new Error('the kind of key is not allowed')
  if (!issuer.isEqual(subject) && !CERTIFICATE_SIGNATURES.includes(signatureAlgorithm.algorithmId))
    throw new Error('the kind of signature is not allowed')
}

/** Issuers say how many others may stand between them and the signer, which the library does not look at. */
function checkPathLengths(chain: readonly Certificate[]): void {
  for (const [at, certificate] of chain.entries()) {
    const { pathLenConstraint: most } = (extensionOf(certificate, BASIC_CONSTRAINTS)?.parsedValue ??
      {}) as Partial<BasicConstraints>
    const between = chain.slice(1, at).filter(({ issuer, subject }) => !issuer.isEqual(subject))
    if (typeof most === 'number' && between.length > most) throw new Error('the chain is too long')
  }
}

function checkUsage(certificate: Certificate): void {
  const purpose = extensionOf(certificate, EXTENDED_KEY_USAGE)
  const { keyPurposes } = (purpose?.parsedValue ?? { keyPurposes: [] }) as ExtKeyUsage
  if (!purpose?.critical || keyPurposes.length !== 1 || keyPurposes[0] !== TIME_STAMPING)
    throw new Error('the certificate is not one for time stamps')
  const usage = extensionOf(certificate, KEY_USAGE)
  if (!usage) return
  const [first = 0, ...others] = (usage.parsedValue as asn1.BitString).valueBlock.valueHexView
  if ((first & SIGNING_BITS) === 0 || (first & ~SIGNING_BITS) !== 0 || others.some((byte) => byte !== 0))
    throw new Error('the key is not one for signatures alone')
}

function checkSignatureForm(
  { signature, signatureAlgorithm, digestAlgorithm }: SignerInfo,
  { subjectPublicKeyInfo }: Certificate,
): void {
  const { algorithmId } = subjectPublicKeyInfo.algorithm
  const named = signatureAlgorithm.algorithmId
  if (
    named !== SIGNATURES[algorithmId]?.[DIGESTS[digestAlgorithm.algorithmId]!] &&
    (named !== RSA_KEY || algorithmId !== RSA_KEY)
  )
    throw new Error('the signature is of another kind')
  if (algorithmId !== ELLIPTIC_KEY) return
  // Two numbers stand in DER, where the library takes more.
  const bytes = signature.valueBlock.valueHexView
  checkForm(bytes)
  if (bytes[0] !== SEQUENCE) throw new Error('the signature has another form')
}

/** Whether a certificate has a name, as that of its owner or another one. */
function isCalled(certificate: Certificate, name: GeneralName): boolean {
  if (name.type === DIRECTORY_NAME && certificate.subject.isEqual(name.value)) return true
  const { altNames } = (extensionOf(certificate, ALTERNATIVE_NAMES)?.parsedValue ?? {
    altNames: [],
  }) as AltName
  return altNames.some(
    (one) =>
      one.type === name.type &&
      (one.type === DIRECTORY_NAME
        ? (one.value as RelativeDistinguishedNames).isEqual(name.value)
        : sameBytes(berOf(one), berOf(name))),
  )
}

// A choice is not what a name is, but what it is read by.
const berOf = (name: GeneralName): Uint8Array =>
  new Uint8Array((name.toSchema() as Exclude<ReturnType<GeneralName['toSchema']>, asn1.Choice>).toBER())

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

/**
 * Compares the chain with the hashes of certificates among the signed attributes, which the library does not: the first is
 * that of the signer, and each other one of an issuer.
 */
async function checkSigningCertificates(signer: SignerInfo, chain: readonly Certificate[]): Promise<void> {
  const attributes = [SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2].map((type) => attributeOf(signer, type))
  if (!attributes.some(Boolean)) throw new Error('no hash of the certificate')
  for (const [version, attribute] of attributes.entries()) {
    if (!attribute) continue
    const [first, ...others] = partsOf(partsOf(attribute)[0]).map((id) => readHash(id, version === 1))
    if (!first || !(await isOf(first, chain[0]!))) throw new Error('the signature names another certificate')
    for (const other of others) {
      const found = await Promise.all(chain.slice(1).map((one) => isOf(other, one)))
      if (!found.some(Boolean)) throw new Error('the signature names a certificate outside the chain')
    }
  }
}

/** The hash of a certificate as a signature names it, perhaps with issuer and serial number. */
interface CertificateHash {
  algorithm: string
  hash: Uint8Array
  named: asn1.BaseBlock | undefined
}

function readHash(id: asn1.BaseBlock, isSecond: boolean): CertificateHash {
  const [first, ...others] = partsOf(id)
  const isOther = isSecond && first instanceof asn1.Sequence
  const [type] = isOther ? partsOf(first) : []
  const algorithm = isOther
    ? DIGESTS[(type as asn1.ObjectIdentifier).getValue()]
    : isSecond
      ? 'SHA-256'
      : 'SHA-1'
  const [hash, named] = isOther ? others : [first, ...others]
  if (algorithm === undefined || !(hash instanceof asn1.OctetString))
    throw new Error('no hash of a certificate')
  return { algorithm, hash: hash.valueBlock.valueHexView, named }
}

async function isOf({ algorithm, hash, named }: CertificateHash, certificate: Certificate): Promise<boolean> {
  if (named) {
    const [names, serial] = partsOf(named)
    const [issuer, ...others] = partsOf(names).map((schema) => new GeneralName({ schema }))
    if (issuer?.type !== DIRECTORY_NAME || others.length > 0 || !certificate.issuer.isEqual(issuer.value))
      return false
    if (!serial?.isEqual(certificate.serialNumber)) return false
  }
  const expected = await globalThis.crypto.subtle.digest(algorithm, new Uint8Array(derOf(certificate)))
  return sameBytes(new Uint8Array(expected), hash)
}

/** What an element holds. */
const partsOf = (block: asn1.BaseBlock | undefined): asn1.BaseBlock[] =>
  block instanceof asn1.Constructed || block instanceof asn1.Sequence ? block.valueBlock.value : []

/** The number of an element that has a tag of its own, such as [0]. */
const tagOf = ({ idBlock }: asn1.BaseBlock): number | undefined =>
  idBlock.tagClass === CONTEXT ? idBlock.tagNumber : undefined

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
