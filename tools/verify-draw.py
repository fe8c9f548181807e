#!/usr/bin/env python3
"""Checks a draw of the protocol draw-v1 from its files alone (docs/draw-v1.md).

It needs Python 3.9 or newer and nothing else, but for time stamps the program openssl, 3.0 or newer: Ed25519, ML-DSA-44 and
BLS12-381 are computed here. It shares no code with the shop.

    python3 verify-draw.py SLUG-evidence.zip
    python3 verify-draw.py FOLDER --checkpoint kept.txt --list-hash HASH
    python3 verify-draw.py SLUG-evidence.zip --ticket 'https://HOST/draws/SLUG#NUMBER.SALT.ID.TERMS'

    python3 verify-draw.py SLUG-evidence.zip --policy witnesses.txt
    python3 verify-draw.py SLUG-evidence.zip --ask-beacon

Only --ask-beacon uses the network: it asks the relays of drand for the rounds of the draw.
"""

import argparse
import base64
import calendar
import datetime
import hashlib
import http.client
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from array import array
from bisect import bisect_left, bisect_right

QUICKNET = {
    "beacon-chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "beacon-key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    "beacon-genesis": 1692803367,
    "beacon-period": 3,
}
RELAYS = ("https://api.drand.sh", "https://api2.drand.sh", "https://api3.drand.sh", "https://drand.cloudflare.com")
SCHEME = "bls-unchained-g1-rfc9380"
GREATEST = 2**53 - 1
FILE_LIMIT = 64 << 20  # bytes of one file, until the terms say how many entries there can be; then at most
GREATEST_LIMIT = 1536 << 20
MEMBER_LIMIT = 5000
POLICY_LIMIT = 200  # lines
STAMP_LIMIT = 65536  # bytes of authority.pem, and of a stamp
OPENSSL_TIME = 20  # seconds
FAULTS_SHOWN = 5

KINDS = ("paid", "postal", "demo")
VOID_REASONS = ("refunded", "disputed", "withdrawn", "under-age", "excluded", "staff", "postal-rule")
DECIDED_REASONS = ("under-age", "excluded", "staff", "postal-rule")
FORFEIT_REASONS = ("unclaimed", "voided") + DECIDED_REASONS
CANCEL_REASONS = ("shop", "no-entries", "beacon-silent")
VERDICTS = {"passed": 0, "failed": 1, "incomplete": 3, "cancelled": 4}  # with their exit codes; 2 is wrong use
STEPS = ("pack", "terms", "log", "checkpoints", "register", "stamps", "list", "seal", "beacon", "winner", "forfeitures", "end")

# --- Sentences -------------------------------------------------------------------------------------------------------

LANGUAGES = ("en", "fr", "nl")
SENTENCES = {
    # What is wrong with a file.
    "file-missing": (
        "The file is missing.",
        "Le fichier manque.",
        "Het bestand ontbreekt.",
    ),
    "file-unknown": (
        "The protocol has no file with this name.",
        "Le protocole ne connaît aucun fichier de ce nom.",
        "Het protocol kent geen bestand met deze naam.",
    ),
    "file-twice": (
        "There are two files with this name.",
        "Deux fichiers portent ce nom.",
        "Er zijn twee bestanden met deze naam.",
    ),
    "file-early": (
        "No leaf of the log belongs to this file.",
        "Aucune feuille du journal ne correspond à ce fichier.",
        "Geen blad van het logboek hoort bij dit bestand.",
    ),
    "file-large": (
        "The file is larger than {limit} bytes.",
        "Le fichier dépasse {limit} octets.",
        "Het bestand is groter dan {limit} bytes.",
    ),
    "file-unreadable": (
        "The file cannot be read: {why}",
        "Le fichier ne peut pas être lu : {why}",
        "Het bestand kan niet gelezen worden: {why}",
    ),
    "zip-path": (
        "The archive names a file outside its one folder: {found}",
        "L’archive nomme un fichier hors de son unique dossier : {found}",
        "Het archief noemt een bestand buiten zijn enige map: {found}",
    ),
    "zip-folder": (
        "The folder in the archive is {found}; the contest is {expected}.",
        "Le dossier de l’archive est {found} ; le concours est {expected}.",
        "De map in het archief is {found}; de wedstrijd is {expected}.",
    ),
    "zip-unreadable": (
        "The archive is damaged or of another kind: {why}",
        "L’archive est endommagée ou d’un autre type : {why}",
        "Het archief is beschadigd of van een andere soort: {why}",
    ),
    "byte-order-mark": (
        "The file begins with a byte order mark.",
        "Le fichier commence par une marque d’ordre des octets.",
        "Het bestand begint met een byte order mark.",
    ),
    "carriage-return": (
        "The line contains a carriage return (CR); lines end with LF alone.",
        "La ligne contient un retour chariot (CR) ; les lignes finissent par LF seul.",
        "De regel bevat een carriage return (CR); regels eindigen op alleen LF.",
    ),
    "not-utf8": (
        "The line is not valid UTF-8.",
        "La ligne n’est pas en UTF-8 valide.",
        "De regel is geen geldige UTF-8.",
    ),
    "byte": (
        "The line contains the byte 0x{byte}, which is not allowed here.",
        "La ligne contient l’octet 0x{byte}, qui n’est pas permis ici.",
        "De regel bevat de byte 0x{byte}, die hier niet mag.",
    ),
    "no-line-end": (
        "The last line does not end with LF.",
        "La dernière ligne ne finit pas par LF.",
        "De laatste regel eindigt niet op LF.",
    ),
    "first-line": (
        "The first line is {found}, not {expected}.",
        "La première ligne est {found}, et non {expected}.",
        "De eerste regel is {found}, niet {expected}.",
    ),
    "header": (
        "The line should begin with {expected}.",
        "La ligne devrait commencer par {expected}.",
        "De regel zou moeten beginnen met {expected}.",
    ),
    "value": (
        "{name} is {found}, which is not of the form {form}.",
        "{name} est {found}, ce qui n’a pas la forme {form}.",
        "{name} is {found}, en dat heeft niet de vorm {form}.",
    ),
    "differs": (
        "{name} is {found}; it must be {expected}.",
        "{name} est {found} ; il faut {expected}.",
        "{name} is {found}; het moet {expected} zijn.",
    ),
    "extra-lines": (
        "The file goes on after its last line.",
        "Le fichier continue après sa dernière ligne.",
        "Het bestand gaat verder na zijn laatste regel.",
    ),
    "form": (
        "The line does not have the form {form}.",
        "La ligne n’a pas la forme {form}.",
        "De regel heeft niet de vorm {form}.",
    ),
    "hash": (
        "The SHA-256 of the file is {found}; {where} names {expected}.",
        "Le SHA-256 du fichier est {found} ; {where} indique {expected}.",
        "De SHA-256 van het bestand is {found}; {where} noemt {expected}.",
    ),
    # Terms.
    "order-of-times": (
        "The draw is before {expected}: closing, time for objections and seal margin do not fit.",
        "Le tirage est avant {expected} : clôture, délai d’objection et marge de scellement ne tiennent pas.",
        "De trekking is vóór {expected}: sluiting, bezwaartijd en verzegelmarge passen niet.",
    ),
    "before-genesis": (
        "The draw is before the first round of the beacon.",
        "Le tirage est avant le premier tour de la source publique.",
        "De trekking is vóór de eerste ronde van de toevalsbron.",
    ),
    "pinned": (
        "The chain hash is that of quicknet, but {name} is not quicknet’s.",
        "L’empreinte de chaîne est celle de quicknet, mais {name} n’est pas celui de quicknet.",
        "De hash van de keten is die van quicknet, maar {name} is niet van quicknet.",
    ),
    "chain-other": (
        "Only a demonstration may use another chain than quicknet: whoever has its key can know the winner beforehand.",
        "Seule une démonstration peut utiliser une autre chaîne que quicknet : qui en a la clé peut connaître le gagnant avant.",
        "Alleen een demonstratie mag een andere keten dan quicknet gebruiken: wie de sleutel heeft, kan de winnaar vooraf kennen.",
    ),
    "kind-demo": (
        "Only a demonstration may give entries away (demo).",
        "Seule une démonstration peut offrir des participations (demo).",
        "Alleen een demonstratie mag inschrijvingen weggeven (demo).",
    ),
    # Log.
    "leaf-unknown": (
        "There is no leaf {found}.",
        "La feuille {found} n’existe pas.",
        "Er bestaat geen blad {found}.",
    ),
    "rule-1": (
        "Rule 1: the first leaf opens the log with the terms hash, and no other does.",
        "Règle 1 : la première feuille ouvre le journal avec l’empreinte des conditions, et aucune autre.",
        "Regel 1: het eerste blad opent het logboek met de hash van de voorwaarden, en geen ander.",
    ),
    "rule-2-range": (
        "Rule 2: number {number} is not between 1 and {tickets}.",
        "Règle 2 : le numéro {number} n’est pas entre 1 et {tickets}.",
        "Regel 2: nummer {number} ligt niet tussen 1 en {tickets}.",
    ),
    "rule-2-twice": (
        "Rule 2: number {number} was entered already in line {at}.",
        "Règle 2 : le numéro {number} est déjà inscrit à la ligne {at}.",
        "Regel 2: nummer {number} werd al ingeschreven op regel {at}.",
    ),
    "rule-2-kind": (
        "Rule 2: the terms allow no entries of the kind {kind}.",
        "Règle 2 : les conditions n’admettent pas d’inscription du type {kind}.",
        "Regel 2: de voorwaarden laten geen inschrijving van de soort {kind} toe.",
    ),
    "rule-2-void": (
        "Rule 2: number {number} cannot be voided here: it has no entry before this line, or was voided already.",
        "Règle 2 : le numéro {number} ne peut être annulé ici : il n’est pas inscrit avant, ou déjà annulé.",
        "Regel 2: nummer {number} kan hier niet vervallen: het is niet eerder ingeschreven, of al vervallen.",
    ),
    "rule-2-reason": (
        "Rule 2: the terms do not know the reason {reason}.",
        "Règle 2 : les conditions ne connaissent pas le motif {reason}.",
        "Regel 2: de voorwaarden kennen de reden {reason} niet.",
    ),
    "rule-3": (
        "Rule 3: the log is closed once.",
        "Règle 3 : le journal est clos une seule fois.",
        "Regel 3: het logboek sluit één keer.",
    ),
    "rule-3-kind": (
        "Rule 3: no entry of the kind {kind} follows the close.",
        "Règle 3 : aucune inscription du type {kind} ne suit la clôture.",
        "Regel 3: na de sluiting volgt geen inschrijving van de soort {kind}.",
    ),
    "rule-3-pending": (
        "Rule 3: more than {pending} paid entries follow the close.",
        "Règle 3 : plus de {pending} inscriptions payées suivent la clôture.",
        "Regel 3: na de sluiting volgen meer dan {pending} betaalde inschrijvingen.",
    ),
    "rule-4": (
        "Rule 4: close, provisional list and seal follow one another, each once.",
        "Règle 4 : clôture, liste provisoire et scellement se suivent, chacun une fois.",
        "Regel 4: sluiting, voorlopige lijst en verzegeling volgen op elkaar, elk één keer.",
    ),
    "rule-5": (
        "Rule 5: an entry follows the seal.",
        "Règle 5 : une inscription suit le scellement.",
        "Regel 5: een inschrijving volgt op de verzegeling.",
    ),
    "rule-6": (
        "Rule 6: results and forfeitures alternate after the seal, counted from 0 without a gap.",
        "Règle 6 : résultats et déchéances alternent après le scellement, comptés de 0 sans lacune.",
        "Regel 6: uitslagen en vervallenverklaringen wisselen na de verzegeling af, geteld vanaf 0 zonder gat.",
    ),
    "rule-6-claim": (
        "Rule 6: a claim follows the result of its attempt and stands before its forfeiture.",
        "Règle 6 : une réclamation suit le résultat de son tirage et précède sa déchéance.",
        "Regel 6: een melding van een winnaar volgt op de uitslag van haar trekking en staat vóór haar vervallenverklaring.",
    ),
    "rule-7": (
        "Rule 7: an award follows a claim of a result without forfeiture; only voids follow an award.",
        "Règle 7 : l’attribution suit la réclamation d’un résultat sans déchéance ; seules des annulations la suivent.",
        "Regel 7: een toekenning volgt op de melding van een winnaar zonder verval; daarna volgen alleen annuleringen van nummers.",
    ),
    "rule-8": (
        "Rule 8: a cancellation is last but for voids; for the reason shop it stands before the first result, for another after "
        "the seal and when no winner is left.",
        "Règle 8 : seules des annulations de numéros suivent l’annulation du concours ; pour le motif shop elle précède le "
        "premier résultat, sinon elle suit le scellement et il ne reste aucun gagnant.",
        "Regel 8: na de annulering van de wedstrijd volgen alleen annuleringen van nummers; met de reden shop staat zij vóór "
        "de eerste uitslag, anders na de verzegeling en wanneer geen winnaar overblijft.",
    ),
    # Checkpoints.
    "no-checkpoint": (
        "There is no checkpoint.",
        "Il n’y a aucun point de contrôle.",
        "Er is geen controlepunt.",
    ),
    "log-key": (
        "The key of the log is no usable Ed25519 key.",
        "La clé du journal n’est pas une clé Ed25519 utilisable.",
        "De sleutel van het logboek is geen bruikbare Ed25519-sleutel.",
    ),
    "own-signatures": (
        "The checkpoint has {found} signatures of the key of the log instead of one.",
        "Le point de contrôle porte {found} signatures de la clé du journal au lieu d’une.",
        "Het controlepunt heeft {found} handtekeningen van de sleutel van het logboek in plaats van één.",
    ),
    "signature": (
        "The signature is not valid.",
        "La signature n’est pas valable.",
        "De handtekening is niet geldig.",
    ),
    "size-falls": (
        "The size falls from {before} to {found}.",
        "La taille baisse de {before} à {found}.",
        "De omvang daalt van {before} naar {found}.",
    ),
    "time-falls": (
        "The time goes back from {before} to {found}.",
        "L’heure recule de {before} à {found}.",
        "De tijd gaat terug van {before} naar {found}.",
    ),
    "beyond": (
        "The checkpoint has {found} leaves; the log has {expected}.",
        "Le point de contrôle compte {found} feuilles ; le journal en a {expected}.",
        "Het controlepunt telt {found} bladen; het logboek heeft er {expected}.",
    ),
    "uncovered": (
        "The last checkpoint covers {found} of the {expected} leaves.",
        "Le dernier point de contrôle couvre {found} des {expected} feuilles.",
        "Het laatste controlepunt dekt {found} van de {expected} bladen.",
    ),
    "root": (
        "The root of the first {size} leaves is not the signed one: the log was changed after it was signed.",
        "La racine des {size} premières feuilles n’est pas celle qui fut signée : le journal a été changé depuis.",
        "De wortel van de eerste {size} bladen is niet de ondertekende: het logboek is nadien veranderd.",
    ),
    "kept-order": (
        "The kept checkpoint does not fit between the others: their sizes fall with time.",
        "Le point de contrôle conservé ne s’insère pas entre les autres : leurs tailles baissent avec le temps.",
        "Het bewaarde controlepunt past niet tussen de andere: hun omvang daalt met de tijd.",
    ),
    "kept-earlier": (
        "The kept checkpoint contains line {at} of log.txt before the first checkpoint of the file that does.",
        "Le point de contrôle conservé contient la ligne {at} de log.txt avant le premier du fichier qui la contient.",
        "Het bewaarde controlepunt bevat regel {at} van log.txt vóór het eerste van het bestand dat die bevat.",
    ),
    # Register and witnesses.
    "policy-extra": (
        "The terms name no policy.",
        "Les conditions n’indiquent aucune politique.",
        "De voorwaarden noemen geen beleid.",
    ),
    "policy-lines": (
        "The policy has more than {limit} lines.",
        "La politique a plus de {limit} lignes.",
        "Het beleid heeft meer dan {limit} regels.",
    ),
    "policy-unknown": (
        "No line before this one defines {found}.",
        "Aucune ligne précédente ne définit {found}.",
        "Geen eerdere regel definieert {found}.",
    ),
    "policy-twice": (
        "{found} stands here a second time.",
        "{found} figure ici une seconde fois.",
        "{found} staat hier een tweede keer.",
    ),
    "policy-quorum": (
        "The policy has no line quorum.",
        "La politique n’a pas de ligne quorum.",
        "Het beleid heeft geen regel quorum.",
    ),
    "cosignature": (
        "This is not a signature of the witness {witness} under this checkpoint.",
        "Ce n’est pas une signature du témoin {witness} sous ce point de contrôle.",
        "Dit is geen handtekening van getuige {witness} onder dit controlepunt.",
    ),
    "register-1": (
        "Register, rule 1: the first leaf of a contest gives its terms hash, and no other does.",
        "Registre, règle 1 : la première feuille d’un concours donne l’empreinte de ses conditions, et aucune autre.",
        "Register, regel 1: het eerste blad van een wedstrijd geeft de hash van haar voorwaarden, en geen ander.",
    ),
    "register-2-size": (
        "Register, rule 2: the size {found} falls below {before}, or log.txt has not so many leaves.",
        "Registre, règle 2 : la taille {found} baisse sous {before}, ou log.txt n’a pas autant de feuilles.",
        "Register, regel 2: de omvang {found} daalt onder {before}, of log.txt heeft niet zoveel bladen.",
    ),
    "register-2-root": (
        "Register, rule 2: the root of the first {size} leaves of log.txt is {expected}, not {found}.",
        "Registre, règle 2 : la racine des {size} premières feuilles de log.txt est {expected}, et non {found}.",
        "Register, regel 2: de wortel van de eerste {size} bladen van log.txt is {expected}, niet {found}.",
    ),
    "register-2-last": (
        "Register, rule 2: the line should be in the register by now, which knows {size} leaves of the log.",
        "Registre, règle 2 : la ligne devrait être au registre, qui connaît {size} feuilles du journal.",
        "Register, regel 2: de regel hoort in het register te staan, dat {size} bladen van het logboek kent.",
    ),
    "register-3": (
        "Register, rule 3: the leaf is {found}; by log.txt it is {expected}.",
        "Registre, règle 3 : la feuille est {found} ; d’après log.txt c’est {expected}.",
        "Register, regel 3: het blad is {found}; volgens log.txt is het {expected}.",
    ),
    # Time stamps.
    "stamp-extra": (
        "The terms name no authority of time stamps.",
        "Les conditions n’indiquent aucune autorité d’horodatage.",
        "De voorwaarden noemen geen autoriteit voor tijdstempels.",
    ),
    "certificate": (
        "The file should hold certificates between lines BEGIN and END, in base64 of 64 characters a line.",
        "Le fichier devrait porter des certificats entre des lignes BEGIN et END, en base64 de 64 caractères par ligne.",
        "Het bestand hoort certificaten te bevatten tussen regels BEGIN en END, in base64 van 64 tekens per regel.",
    ),
    "stamp-form": (
        "This is no time stamp that was granted.",
        "Ce n’est pas un horodatage accordé.",
        "Dit is geen tijdstempel die verleend werd.",
    ),
    "stamp-other": (
        "The time stamp is of {found}, not of {expected}.",
        "L’horodatage est celui de {found}, et non de {expected}.",
        "De tijdstempel is van {found}, niet van {expected}.",
    ),
    "stamp-foreign": (
        "The time stamp is not one of the authority of the terms: {why}",
        "L’horodatage n’est pas de l’autorité des conditions : {why}",
        "De tijdstempel is niet van de autoriteit van de voorwaarden: {why}",
    ),
    # List.
    "row": (
        "The row is {found}; by the log it is {expected}.",
        "La ligne est {found} ; d’après le journal c’est {expected}.",
        "De rij is {found}; volgens het logboek is zij {expected}.",
    ),
    "list-root": (
        "The root of the rows is {found}; the seal names {expected}.",
        "La racine des lignes est {found} ; le scellement indique {expected}.",
        "De wortel van de rijen is {found}; de verzegeling noemt {expected}.",
    ),
    "valid": (
        "{found} rows are valid; the seal says {expected}.",
        "{found} lignes sont valables ; le scellement indique {expected}.",
        "{found} rijen zijn geldig; de verzegeling noemt {expected}.",
    ),
    "valid-root": (
        "The root of the valid rows is {found}; the seal names {expected}.",
        "La racine des lignes valables est {found} ; le scellement indique {expected}.",
        "De wortel van de geldige rijen is {found}; de verzegeling noemt {expected}.",
    ),
    # Seal, beacon, winner.
    "opened-late": (
        "The log was opened at {found}, not before the close at {expected}.",
        "Le journal a été ouvert à {found}, et non avant la clôture à {expected}.",
        "Het logboek werd geopend om {found}, niet vóór de sluiting om {expected}.",
    ),
    "closed-early": (
        "The log was closed at {found}, before {expected}.",
        "Le journal a été clos à {found}, avant {expected}.",
        "Het logboek werd gesloten om {found}, vóór {expected}.",
    ),
    "sealed-late": (
        "The list was sealed at {found}, not before the draw at {expected}: the draw is not valid.",
        "La liste a été scellée à {found}, et non avant le tirage à {expected} : le tirage n’est pas valable.",
        "De lijst werd verzegeld om {found}, niet vóór de trekking om {expected}: de trekking is niet geldig.",
    ),
    "beacon-key": (
        "The key of the beacon is no point of its group.",
        "La clé de la source publique n’est pas un point de son groupe.",
        "De sleutel van de toevalsbron is geen punt van haar groep.",
    ),
    "beacon-signature": (
        "This is not the signature of round {round} under the key of the beacon.",
        "Ce n’est pas la signature du tour {round} sous la clé de la source publique.",
        "Dit is niet de handtekening van ronde {round} onder de sleutel van de toevalsbron.",
    ),
    "no-rows": (
        "No row is left to draw from.",
        "Il ne reste aucune ligne à tirer.",
        "Er is geen rij meer om uit te trekken.",
    ),
    # Forfeitures and end.
    "forfeit-future": (
        "The forfeiture was published at {found}, but is in the log at {expected} already.",
        "La déchéance est publiée à {found}, mais figure déjà au journal à {expected}.",
        "Het verval is gepubliceerd om {found}, maar staat al in het logboek om {expected}.",
    ),
    "forfeit-round": (
        "The forfeiture is in the log at {found} only, when its round, at {expected}, can be known.",
        "La déchéance n’est au journal qu’à {found}, quand son tour, à {expected}, peut être connu.",
        "Het verval staat pas om {found} in het logboek, wanneer zijn ronde, om {expected}, bekend kan zijn.",
    ),
    "forfeit-reason": (
        "The terms do not know the reason {reason}.",
        "Les conditions ne connaissent pas le motif {reason}.",
        "De voorwaarden kennen de reden {reason} niet.",
    ),
    "unclaimed-early": (
        "The winner had time until {expected}.",
        "La personne gagnante avait jusqu’à {expected}.",
        "De winnaar had tijd tot {expected}.",
    ),
    "not-voided": (
        "Number {number} was not voided between the seal and the forfeiture.",
        "Le numéro {number} n’a pas été annulé entre le scellement et la déchéance.",
        "Nummer {number} is niet vervallen tussen de verzegeling en de vervallenverklaring.",
    ),
    "too-many-decided": (
        "The shop decided more than {limit} forfeitures.",
        "La boutique a décidé plus de {limit} déchéances.",
        "De winkel besliste over meer dan {limit} vervallenverklaringen.",
    ),
    "statement-extra": (
        "The forfeiture names no statement.",
        "La déchéance n’indique aucune déclaration.",
        "De vervallenverklaring noemt geen verklaring.",
    ),
    "cancel-known": (
        "The shop cancelled at {found}; after the seal it could do so until {expected}, because later the winner could be known.",
        "La boutique a annulé à {found} ; après le scellement elle le pouvait jusqu’à {expected}, car plus tard le gagnant "
        "pouvait être connu.",
        "De winkel annuleerde om {found}; na de verzegeling kon dat tot {expected}, want later kon de winnaar bekend zijn.",
    ),
    "cancel-impatient": (
        "The beacon had to be waited for until {expected}; the contest was cancelled at {found}.",
        "Il fallait attendre la source publique jusqu’à {expected} ; le concours a été annulé à {found}.",
        "Op de toevalsbron moest gewacht worden tot {expected}; de wedstrijd werd geannuleerd om {found}.",
    ),
    "cancel-rows": (
        "{found} rows were left to draw from.",
        "Il restait {found} lignes à tirer.",
        "Er waren nog {found} rijen om uit te trekken.",
    ),
    # Ticket.
    "link-form": (
        "The proof link does not have the form {form}.",
        "Le lien de preuve n’a pas la forme {form}.",
        "De bewijslink heeft niet de vorm {form}.",
    ),
    "link-other": (
        "The proof link is of {found}, these files are of {expected}.",
        "Le lien de preuve est de {found}, ces fichiers sont de {expected}.",
        "De bewijslink is van {found}, deze bestanden zijn van {expected}.",
    ),
    "link-terms": (
        "Your ticket was sold under other terms: its link names {found}, these files have {expected}.",
        "Votre billet a été vendu sous d’autres conditions : son lien indique {found}, ces fichiers ont {expected}.",
        "Je ticket is verkocht onder andere voorwaarden: de link noemt {found}, deze bestanden hebben {expected}.",
    ),
    "ticket-absent": (
        "Number {number} is not in the log.",
        "Le numéro {number} n’est pas dans le journal.",
        "Nummer {number} staat niet in het logboek.",
    ),
    "ticket-other": (
        "Number {number} is in the log, but for another ticket.",
        "Le numéro {number} est dans le journal, mais pour un autre billet.",
        "Nummer {number} staat in het logboek, maar voor een ander ticket.",
    ),
    "ticket-unlisted": (
        "Number {number} is missing from list.txt.",
        "Le numéro {number} manque dans list.txt.",
        "Nummer {number} ontbreekt in list.txt.",
    ),
    # Why a step was left out.
    "nothing-yet": (
        "There is nothing to check yet.",
        "Il n’y a encore rien à vérifier.",
        "Er valt nog niets te controleren.",
    ),
    "needs": (
        "It needs the step {needed}, which failed or was left out.",
        "Il faut l’étape {needed}, qui a échoué ou n’a pas été faite.",
        "De stap {needed} is nodig, maar mislukte of werd overgeslagen.",
    ),
    "not-given": (
        "{name} was not given.",
        "{name} n’a pas été donné.",
        "{name} werd niet gegeven.",
    ),
    "no-authority": (
        "The terms name no authority of time stamps.",
        "Les conditions n’indiquent aucune autorité d’horodatage.",
        "De voorwaarden noemen geen autoriteit voor tijdstempels.",
    ),
    "unsupported": (
        "Time stamps were not checked, as that needs the program openssl, 3.0 or newer: {why}",
        "Les horodatages n’ont pas été vérifiés, car il faut le programme openssl, 3.0 ou plus récent : {why}",
        "Tijdstempels werden niet gecontroleerd, want daarvoor is het programma openssl nodig, 3.0 of nieuwer: {why}",
    ),
    # Remarks.
    "rehearsal": (
        "THIS IS A REHEARSAL, NOT A DRAW.",
        "CECI EST UNE RÉPÉTITION, PAS UN TIRAGE.",
        "DIT IS EEN REPETITIE, GEEN TREKKING.",
    ),
    "demonstration": (
        "THIS IS A DEMONSTRATION: NOTHING CAN BE WON.",
        "CECI EST UNE DÉMONSTRATION : IL N’Y A RIEN À GAGNER.",
        "DIT IS EEN DEMONSTRATIE: ER VALT NIETS TE WINNEN.",
    ),
    "chain": (
        "The beacon is quicknet, the public network.",
        "La source publique est quicknet, le réseau public.",
        "De toevalsbron is quicknet, het openbare netwerk.",
    ),
    "chain-own": (
        "The beacon is not the public network quicknet but the chain {chain}: whoever has its key can know the winner beforehand.",
        "La source publique n’est pas le réseau public quicknet mais la chaîne {chain} : qui en a la clé peut connaître le "
        "gagnant avant.",
        "De toevalsbron is niet het openbare netwerk quicknet maar de keten {chain}: wie de sleutel heeft, kan de winnaar vooraf "
        "kennen.",
    ),
    "close-late": (
        "The log was closed at {found}; the terms say {expected}.",
        "Le journal a été clos à {found} ; les conditions disent {expected}.",
        "Het logboek werd gesloten om {found}; de voorwaarden zeggen {expected}.",
    ),
    "entries-after-list": (
        "Entries between the provisional list and the seal: {found}.",
        "Participations entre la liste provisoire et le scellement : {found}.",
        "Inschrijvingen tussen de voorlopige lijst en de verzegeling: {found}.",
    ),
    "objections-short": (
        "The list was sealed at {found}; there should be time for objections until {expected}.",
        "La liste a été scellée à {found} ; le délai d’objection courait jusqu’à {expected}.",
        "De lijst werd verzegeld om {found}; er was tijd voor bezwaar tot {expected}.",
    ),
    "seal-late": (
        "The list was sealed at {found}, before the draw but later than promised ({expected}).",
        "La liste a été scellée à {found}, avant le tirage mais plus tard que promis ({expected}).",
        "De lijst werd verzegeld om {found}, vóór de trekking maar later dan beloofd ({expected}).",
    ),
    "forfeit-late": (
        "Forfeiture {attempt}, published at {expected}, is in the log since {found} only.",
        "La déchéance {attempt}, publiée à {expected}, n’est au journal que depuis {found}.",
        "Vervallenverklaring {attempt}, gepubliceerd om {expected}, staat pas sinds {found} in het logboek.",
    ),
    "forfeit-unconfirmed": (
        "The witnesses did not confirm forfeiture {attempt} before its round at {expected}: the shop may have known who wins next, or may have left out a claim.",
        "Les témoins n’ont pas confirmé la déchéance {attempt} avant son tour à {expected} : la boutique savait peut-être déjà qui gagne ensuite, ou a pu taire une réclamation.",
        "De getuigen bevestigden vervallenverklaring {attempt} niet vóór haar ronde om {expected}: de winkel wist misschien al wie daarna wint, of liet misschien een melding weg.",
    ),
    "claimed": (
        "The winner of attempt {attempt} claimed the prize. The shop says that no proof of identity followed, and decided the forfeiture.",
        "La personne gagnante du tirage {attempt} a réclamé le prix. La boutique dit qu’aucune preuve d’identité n’a suivi, et a décidé la déchéance.",
        "De winnaar van trekking {attempt} meldde zich voor de prijs. De winkel zegt dat een bewijs van identiteit uitbleef, en besliste het verval.",
    ),
    "cancel-late": (
        "The contest was cancelled at {found}, after the draw instant, without a sealed list.",
        "Le concours a été annulé à {found}, après l’heure du tirage, sans liste scellée.",
        "De wedstrijd werd geannuleerd om {found}, na het tijdstip van de trekking, zonder verzegelde lijst.",
    ),
    "cancelled-after-seal": (
        "The shop cancelled at {found}, after the list was sealed but before the winner could be known ({expected}).",
        "La boutique a annulé à {found}, après le scellement de la liste mais avant que le gagnant puisse être connu ({expected}).",
        "De winkel annuleerde om {found}, na de verzegeling van de lijst maar voordat de winnaar bekend kon zijn ({expected}).",
    ),
    "silence-claimed": (
        "The shop says that the beacon did not give round {round}. These files cannot show it.",
        "La boutique dit que la source publique n’a pas donné le tour {round}. Ces fichiers ne le montrent pas.",
        "De winkel zegt dat de toevalsbron ronde {round} niet gaf. Deze bestanden tonen dat niet.",
    ),
    "result-early": (
        "Result {attempt} is in the log at {found}, before its round at {expected}: one of the times is false.",
        "Le résultat {attempt} est au journal à {found}, avant son tour à {expected} : une des heures est fausse.",
        "Uitslag {attempt} staat om {found} in het logboek, vóór zijn ronde om {expected}: een van de tijden is vals.",
    ),
    "result-late": (
        "Result {attempt} is in the log at {found} only; its round was out at {expected}.",
        "Le résultat {attempt} n’est au journal qu’à {found} ; son tour est paru à {expected}.",
        "Uitslag {attempt} staat pas om {found} in het logboek; zijn ronde verscheen om {expected}.",
    ),
    "kept-newer": (
        "The kept checkpoint of {found} has {size} leaves: it is newer than these files, and its root cannot be compared.",
        "Le point de contrôle conservé de {found} compte {size} feuilles : il est plus récent que ces fichiers, et sa racine ne peut être comparée.",
        "Het bewaarde controlepunt van {found} telt {size} bladen: het is nieuwer dan deze bestanden, en zijn wortel kan niet vergeleken worden.",
    ),
    "result-overdue": (
        "Round {round} was out at {expected}, and at {found} there is neither result nor cancellation.",
        "Le tour {round} est paru à {expected}, et à {found} il n’y a ni résultat ni annulation.",
        "Ronde {round} verscheen om {expected}, en om {found} is er uitslag noch annulering.",
    ),
    "terms-unconfirmed": (
        "The witnesses did not confirm the terms before the close at {expected}.",
        "Les témoins n’ont pas confirmé les conditions avant la clôture à {expected}.",
        "De getuigen bevestigden de voorwaarden niet vóór de sluiting om {expected}.",
    ),
    "terms-late": (
        "The witnesses confirmed the terms at {found} only; the shop dates them {expected}.",
        "Les témoins n’ont confirmé les conditions qu’à {found} ; la boutique les date de {expected}.",
        "De getuigen bevestigden de voorwaarden pas om {found}; de winkel dateert ze op {expected}.",
    ),
    "seal-unconfirmed": (
        "The witnesses did not confirm the seal before the draw at {expected}.",
        "Les témoins n’ont pas confirmé le scellement avant le tirage à {expected}.",
        "De getuigen bevestigden de verzegeling niet vóór de trekking om {expected}.",
    ),
    "cancelled-unconfirmed": (
        "The witnesses did not confirm the cancellation until {expected}: the winner could be known then.",
        "Les témoins n’ont pas confirmé l’annulation jusqu’à {expected} : le gagnant pouvait alors être connu.",
        "De getuigen bevestigden de annulering niet tot {expected}: de winnaar kon dan bekend zijn.",
    ),
    "terms-unstamped": (
        "The authority did not stamp the terms before the close at {expected}.",
        "L’autorité n’a pas horodaté les conditions avant la clôture à {expected}.",
        "De autoriteit gaf de voorwaarden geen tijdstempel vóór de sluiting om {expected}.",
    ),
    "seal-unstamped": (
        "The authority did not stamp the sealed list before the draw at {expected}.",
        "L’autorité n’a pas horodaté la liste scellée avant le tirage à {expected}.",
        "De autoriteit gaf de verzegelde lijst geen tijdstempel vóór de trekking om {expected}.",
    ),
    "same-commitment": (
        "Lines {line} and {other} of log.txt hold the same commitment.",
        "Les lignes {line} et {other} de log.txt portent le même engagement.",
        "Regels {line} en {other} van log.txt dragen dezelfde verbintenis.",
    ),
    "own-word": (
        "Compare with what you kept: terms {terms}, list {list}.",
        "Comparez avec ce que vous avez : conditions {terms}, liste {list}.",
        "Vergelijk met wat je bewaarde: voorwaarden {terms}, lijst {list}.",
    ),
    # What the relays of the beacon answer.
    "how-to-ask": (
        "Ask the beacon with --ask-beacon. A signature at this address shows that it has the round: {address}",
        "Interrogez la source publique avec --ask-beacon. Une signature à cette adresse montre qu’elle a le tour : {address}",
        "Vraag het de toevalsbron met --ask-beacon. Een handtekening op dit adres toont dat zij de ronde heeft: {address}",
    ),
    "no-relay": (
        "No public relay has the chain {chain}. Ask for round {round} with --ask-beacon --relay ADDRESS.",
        "Aucun relais public n’a la chaîne {chain}. Demandez le tour {round} avec --ask-beacon --relay ADRESSE.",
        "Geen openbare relay heeft de keten {chain}. Vraag om ronde {round} met --ask-beacon --relay ADRES.",
    ),
    "relay-valid": (
        "{relay} has round {round}; its signature is valid.",
        "{relay} a le tour {round} ; sa signature est valable.",
        "{relay} heeft ronde {round}; de handtekening is geldig.",
    ),
    "relay-invalid": (
        "{relay} answers for round {round}, but with no valid signature.",
        "{relay} répond pour le tour {round}, mais sans signature valable.",
        "{relay} antwoordt voor ronde {round}, maar zonder geldige handtekening.",
    ),
    "relay-missing": (
        "{relay} does not have round {round} (HTTP {status}).",
        "{relay} n’a pas le tour {round} (HTTP {status}).",
        "{relay} heeft ronde {round} niet (HTTP {status}).",
    ),
    "relay-refused": (
        "{relay} gives no answer about round {round} (HTTP {status}).",
        "{relay} ne dit rien du tour {round} (HTTP {status}).",
        "{relay} zegt niets over ronde {round} (HTTP {status}).",
    ),
    "relay-unreachable": (
        "{relay} cannot be reached: {why}",
        "{relay} ne peut être joint : {why}",
        "{relay} is niet bereikbaar: {why}",
    ),
    "beacon-has": (
        "The beacon has round {round}, which the shop did not use. Unless it appeared after {expected} only, the beacon was not silent.",
        "La source publique a le tour {round}, que la boutique n’a pas utilisé. S’il n’est pas paru seulement après {expected}, elle n’était "
        "pas muette.",
        "De toevalsbron heeft ronde {round}, die de winkel niet gebruikte. Tenzij die pas na {expected} verscheen, was zij niet stil.",
    ),
    "beacon-would": (
        "By that round number {number} wins.",
        "D’après ce tour, le numéro {number} gagne.",
        "Volgens die ronde wint nummer {number}.",
    ),
    "beacon-has-not": (
        "No relay that answered has round {round}: nothing contradicts the shop.",
        "Aucun relais qui a répondu n’a le tour {round} : rien ne contredit la boutique.",
        "Geen relay die antwoordde heeft ronde {round}: niets spreekt de winkel tegen.",
    ),
    "beacon-unknown": (
        "No relay told whether round {round} exists: ask again later.",
        "Aucun relais n’a dit si le tour {round} existe : redemandez plus tard.",
        "Geen relay zei of ronde {round} bestaat: vraag het later opnieuw.",
    ),
    # What the program says.
    "passed": ("passed", "réussi", "geslaagd"),
    "failed": ("FAILED", "ÉCHEC", "MISLUKT"),
    "skipped": ("left out", "non fait", "overgeslagen"),
    "place-line": ("{file}, line {line}: ", "{file}, ligne {line} : ", "{file}, regel {line}: "),
    "place": ("{file}: ", "{file} : ", "{file}: "),
    "title": ("Draw of {contest}", "Tirage de {contest}", "Trekking van {contest}"),
    "count": (
        "Entries: {entries}; voided: {voids}; in the draw: {valid}.",
        "Participations : {entries} ; annulées : {voids} ; au tirage : {valid}.",
        "Inschrijvingen: {entries}; vervallen: {voids}; in de trekking: {valid}.",
    ),
    "drawn": (
        "Attempt {attempt}: number {number}.",
        "Tirage {attempt} : numéro {number}.",
        "Trekking {attempt}: nummer {number}.",
    ),
    "voucher-seal": (
        "and sealed before the draw: {count} of {of} witnesses say so",
        "et scellé avant le tirage : {count} des {of} témoins l’attestent",
        "en verzegeld vóór de trekking: {count} van de {of} getuigen bevestigen het",
    ),
    "voucher-terms": (
        "and announced before the close: {count} of {of} witnesses say so",
        "et annoncé avant la clôture : {count} des {of} témoins l’attestent",
        "en aangekondigd vóór de sluiting: {count} van de {of} getuigen bevestigen het",
    ),
    "voucher-too": (
        "{voucher}, and so do time stamps of an authority",
        "{voucher}, tout comme les horodatages d’une autorité",
        "{voucher}, en de tijdstempels van een autoriteit ook",
    ),
    "stamps-seal": (
        "and sealed before the draw by the time stamps of an authority, which stamps whatever it is sent: they do not show that "
        "there was no other list",
        "et scellé avant le tirage d’après les horodatages d’une autorité, qui horodate tout ce qu’on lui envoie : ils ne montrent "
        "pas qu’il n’y avait pas d’autre liste",
        "en verzegeld vóór de trekking volgens de tijdstempels van een autoriteit, die alles stempelt wat men haar stuurt: zij tonen "
        "niet dat er geen andere lijst was",
    ),
    "stamps-terms": (
        "and announced before the close by the time stamp of an authority, which stamps whatever it is sent: it does not show that "
        "there were no other terms",
        "et annoncé avant la clôture d’après l’horodatage d’une autorité, qui horodate tout ce qu’on lui envoie : il ne montre pas "
        "qu’il n’y avait pas d’autres conditions",
        "en aangekondigd vóór de sluiting volgens de tijdstempel van een autoriteit, die alles stempelt wat men haar stuurt: hij toont "
        "niet dat er geen andere voorwaarden waren",
    ),
    "voucher-shop": (
        "but only the shop says when",
        "mais seule la boutique dit quand",
        "maar alleen de winkel zegt wanneer",
    ),
    "witnesses": (
        "Witnesses of the terms: {names}. Only their keys, brought with --policy, show that it is they.",
        "Témoins des conditions : {names}. Seules leurs clés, apportées avec --policy, montrent que ce sont eux.",
        "Getuigen van de voorwaarden: {names}. Alleen hun sleutels, meegebracht met --policy, tonen dat zij het zijn.",
    ),
    "stamped": (
        "The authority stamped the terms at {opened}, the sealed list at {sealed}. Compare authority.pem with the certificates that it "
        "publishes: only they show that it is the authority.",
        "L’autorité a horodaté les conditions à {opened}, la liste scellée à {sealed}. Comparez authority.pem avec les certificats "
        "qu’elle publie : eux seuls montrent que c’est elle.",
        "De autoriteit gaf de voorwaarden een tijdstempel om {opened}, de verzegelde lijst om {sealed}. Vergelijk authority.pem met de "
        "certificaten die zij publiceert: alleen die tonen dat zij het is.",
    ),
    "no-policy": (
        "No policy asks for witnesses.",
        "Aucune politique ne demande de témoins.",
        "Geen beleid vraagt om getuigen.",
    ),
    "unconfirmed": (
        "The witnesses did not confirm in time.",
        "Les témoins n’ont pas confirmé à temps.",
        "De getuigen bevestigden niet op tijd.",
    ),
    "verdict-passed": (
        "Consistent, {voucher}.",
        "Cohérent, {voucher}.",
        "Klopt, {voucher}.",
    ),
    "verdict-incomplete": (
        "Consistent so far, {voucher}. Nothing failed, but not every step could be made.",
        "Cohérent jusqu’ici, {voucher}. Rien n’a échoué, mais toutes les étapes n’ont pu être faites.",
        "Klopt tot hier, {voucher}. Niets is mislukt, maar niet elke stap kon worden gedaan.",
    ),
    "verdict-cancelled": (
        "Validly cancelled ({reason}), {voucher}. Nothing failed, and nobody wins.",
        "Annulé dans les règles ({reason}), {voucher}. Rien n’a échoué, et personne ne gagne.",
        "Geldig geannuleerd ({reason}), {voucher}. Niets is mislukt, en niemand wint.",
    ),
    "verdict-cancelled-unconfirmed": (
        "Cancelled when the winner could be known: no witness says that it was earlier. Nothing else failed, and nobody wins.",
        "Annulé alors que le gagnant pouvait être connu : aucun témoin ne dit que c’était plus tôt. Rien d’autre n’a échoué, et personne ne gagne.",
        "Geannuleerd toen de winnaar bekend kon zijn: geen getuige zegt dat het eerder was. Verder is niets mislukt, en niemand wint.",
    ),
    "verdict-contradicted": (
        "By its files the draw is validly cancelled, but the beacon has the round that the shop says was missing.",
        "D’après ses fichiers le tirage est annulé dans les règles, mais la source publique a le tour que la boutique dit absent.",
        "Volgens haar bestanden is de trekking geldig geannuleerd, maar de toevalsbron heeft de ronde die volgens de winkel ontbrak.",
    ),
    "verdict-failed": (
        "FAILED, first in the step {step}.",
        "ÉCHEC, d’abord à l’étape {step}.",
        "MISLUKT, eerst in de stap {step}.",
    ),
    "ticket-in-log": (
        "Number {number} is line {line} of log.txt, signed since {since}.",
        "Le numéro {number} est la ligne {line} de log.txt, signée depuis {since}.",
        "Nummer {number} is regel {line} van log.txt, ondertekend sinds {since}.",
    ),
    "ticket-unsigned": (
        "Number {number} is line {line} of log.txt.",
        "Le numéro {number} est la ligne {line} de log.txt.",
        "Nummer {number} is regel {line} van log.txt.",
    ),
    "ticket-in-list": (
        "In the sealed list it is {status}.",
        "Dans la liste scellée il est {status}.",
        "In de verzegelde lijst is het {status}.",
    ),
    "ticket-void": (
        "It was voided: {void}.",
        "Il a été annulé : {void}.",
        "Het is vervallen: {void}.",
    ),
    "ticket-won": ("It won attempt {attempt}.", "Il a gagné le tirage {attempt}.", "Het won trekking {attempt}."),
    "ticket-forfeited": (
        "It won attempt {attempt}, and was declared forfeited.",
        "Il a gagné le tirage {attempt}, puis a été déclaré déchu.",
        "Het won trekking {attempt}, en werd vervallen verklaard.",
    ),
    "ticket-lost": ("It did not win.", "Il n’a pas gagné.", "Het won niet."),
    "ticket-cancelled": (
        "The contest was cancelled: nobody wins.",
        "Le concours a été annulé : personne ne gagne.",
        "De wedstrijd werd geannuleerd: niemand wint.",
    ),
    "ticket-unknown": (
        "Whether it won cannot be said: a step that tells failed or was left out.",
        "On ne peut dire s’il a gagné : une étape qui le dit a échoué ou n’a pas été faite.",
        "Of het won, is niet te zeggen: een stap die dat zegt, mislukte of werd overgeslagen.",
    ),
    "ticket-waiting": ("The draw has not taken place yet.", "Le tirage n’a pas encore eu lieu.", "De trekking heeft nog niet plaatsgevonden."),
}


def shown(value):
    """A value of a file as it may be printed: short, and without bytes that steer a terminal."""
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    text = "".join(c if c.isprintable() else "\\u%04x" % ord(c) for c in text[:201])
    return text if len(text) <= 200 else text[:200] + "..."


def sentence(language, code, details):
    text = SENTENCES[code][LANGUAGES.index(language)].format(**{name: shown(v) for name, v in details.items()})
    return re.sub(" ([:;!?])", "\u00a0\\1", text) if language == "fr" else text


class Fault(Exception):
    """Something in a file that breaks the protocol."""

    def __init__(self, code, file=None, line=None, **details):
        super().__init__(code)
        self.code, self.file, self.line, self.details = code, file, line, details

    def place(self, language):
        code = "place-line" if self.line else "place"
        return sentence(language, code, {"file": self.file, "line": self.line}) if self.file else ""

    def text(self, language):
        return self.place(language) + sentence(language, self.code, self.details)

    def as_json(self, language):
        answer = {"code": self.code, "text": sentence(language, self.code, self.details)}
        if self.file:
            answer["file"] = shown(self.file)
        if self.line:
            answer["line"] = self.line
        return answer


# --- Ed25519, RFC 8032 -----------------------------------------------------------------------------------------------

ED_P = 2**255 - 19
ED_L = 2**252 + 27742317777372353535851937790883648493
ED_D = -121665 * pow(121666, -1, ED_P) % ED_P
ED_I = pow(2, (ED_P - 1) // 4, ED_P)
ED_ZERO = (0, 1, 1, 0)


def ed_add(p, q):
    """The sum of two points in extended coordinates."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % ED_P
    b = (p[1] + p[0]) * (q[1] + q[0]) % ED_P
    c = 2 * p[3] * q[3] * ED_D % ED_P
    d = 2 * p[2] * q[2] % ED_P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % ED_P, g * h % ED_P, f * g % ED_P, e * h % ED_P


def ed_decode(encoded):
    """The point of 32 bytes in their canonical encoding, or None."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= ED_P:
        return None
    square = (y * y - 1) * pow(ED_D * y * y + 1, -1, ED_P) % ED_P
    x = pow(square, (ED_P + 3) // 8, ED_P)
    if x * x % ED_P != square:
        x = x * ED_I % ED_P
    if x * x % ED_P != square or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = ED_P - x
    return x, y, 1, x * y % ED_P


def ed_encode(p):
    inverse = pow(p[2], -1, ED_P)
    x, y = p[0] * inverse % ED_P, p[1] * inverse % ED_P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def ed_table(p):
    """For each of 64 digits of 4 bits the sixteen multiples of the point, so that a product is 64 additions."""
    rows = []
    for _ in range(64):
        row = [ED_ZERO]
        for _ in range(15):
            row.append(ed_add(row[-1], p))
        rows.append(row)
        p = ed_add(row[-1], p)
    return rows


def ed_multiply(table, scalar, total=ED_ZERO):
    for row in table:
        if scalar & 15:
            total = ed_add(total, row[scalar & 15])
        scalar >>= 4
    return total


ED_BASE = ed_decode(bytes([0x58]) + bytes([0x66]) * 31)


class Ed25519Key:
    """Checks signatures strictly: S below the order of the group, canonical points, no cofactor, no key of small order."""

    base = []  # the table of the base point, made when it is first needed

    def __init__(self, public):
        self.public = public
        point = ed_decode(public)
        if point is not None:
            eight = point
            for _ in range(3):
                eight = ed_add(eight, eight)
            if eight[0] % ED_P == 0:
                point = None
        self.usable = point is not None
        if self.usable:
            self.base.extend([] if self.base else ed_table(ED_BASE))
            self.table = ed_table((ED_P - point[0], point[1], 1, ED_P - point[3]))

    def verify(self, signature, message):
        s = int.from_bytes(signature[32:], "little")
        if not self.usable or s >= ED_L:
            return False
        k = int.from_bytes(hashlib.sha512(signature[:32] + self.public + message).digest(), "little") % ED_L
        return ed_encode(ed_multiply(self.table, k, ed_multiply(self.base, s))) == signature[:32]


# --- ML-DSA-44, FIPS 204 ----------------------------------------------------------------------------------------------

ML_Q, ML_D, ML_TAU, ML_OMEGA = 8380417, 13, 39, 80
ML_GAMMA1, ML_GAMMA2, ML_BETA = 1 << 17, (8380417 - 1) // 88, 78
ML_ZETAS = [pow(1753, int("{:08b}".format(i)[::-1], 2), ML_Q) for i in range(256)]


def shake_bytes(make, seed):
    """The output of SHAKE, byte by byte."""
    shake, at, size = make(seed), 0, 1024
    while True:
        yield from shake.digest(size)[at:]
        at, size = size, size * 2


def ml_integers(data, bits):
    """Integers of so many bits, the lowest bits first."""
    whole, mask = int.from_bytes(data, "little"), (1 << bits) - 1
    return [whole >> at & mask for at in range(0, 8 * len(data), bits)]


def ml_ntt(polynomial):
    a, k = list(polynomial), 0
    for length in (128, 64, 32, 16, 8, 4, 2, 1):
        for start in range(0, 256, 2 * length):
            k += 1
            zeta = ML_ZETAS[k]
            for j in range(start, start + length):
                t = zeta * a[j + length] % ML_Q
                a[j], a[j + length] = (a[j] + t) % ML_Q, (a[j] - t) % ML_Q
    return a


def ml_ntt_back(values):
    a, k = list(values), 256
    for length in (1, 2, 4, 8, 16, 32, 64, 128):
        for start in range(0, 256, 2 * length):
            k -= 1
            zeta = ML_ZETAS[k]
            for j in range(start, start + length):
                t = a[j]
                a[j], a[j + length] = (t + a[j + length]) % ML_Q, zeta * (a[j + length] - t) % ML_Q
    return [8347681 * value % ML_Q for value in a]


def ml_uniform(seed):
    """A polynomial with coefficients at random, in the domain of the transform."""
    stream, values = shake_bytes(hashlib.shake_128, seed), []
    while len(values) < 256:
        value = next(stream) | next(stream) << 8 | (next(stream) & 127) << 16
        if value < ML_Q:
            values.append(value)
    return values


def ml_challenge(seed):
    """The polynomial with ML_TAU coefficients 1 or -1, all others 0."""
    stream, c = shake_bytes(hashlib.shake_256, seed), [0] * 256
    signs = int.from_bytes(bytes(next(stream) for _ in range(8)), "little")
    for i in range(256 - ML_TAU, 256):
        j = next(stream)
        while j > i:
            j = next(stream)
        c[i], c[j] = c[j], 1 - 2 * (signs & 1)
        signs >>= 1
    return c


def ml_hints(data):
    """Where the hints of the four polynomials are, or None."""
    hints, at = [], 0
    for end in data[ML_OMEGA:]:
        part = data[at:end]
        if not at <= end <= ML_OMEGA or any(a >= b for a, b in zip(part, part[1:])):
            return None
        hints.append(set(part))
        at = end
    return None if any(data[at:ML_OMEGA]) else hints


def ml_high(value, hint):
    """The high part of a coefficient, one further when there is a hint."""
    low = value % (2 * ML_GAMMA2)
    if low > ML_GAMMA2:
        low -= 2 * ML_GAMMA2
    high, low = (0, low - 1) if value - low == ML_Q - 1 else ((value - low) // (2 * ML_GAMMA2), low)
    return (high + (1 if low > 0 else -1)) % 44 if hint else high


class MlDsa44Key:
    """Checks signatures of ML-DSA-44 with an empty context."""

    usable = True

    def __init__(self, public):
        self.hash = hashlib.shake_256(public).digest(64)
        self.matrix = [[ml_uniform(public[:32] + bytes([s, r])) for s in range(4)] for r in range(4)]
        high = ml_integers(public[32:], 10)
        self.high = [ml_ntt([t << ML_D for t in high[at : at + 256]]) for at in range(0, 1024, 256)]

    def verify(self, signature, message):
        hints = ml_hints(signature[2336:]) if len(signature) == 2420 else None
        if hints is None:
            return False
        z = [ML_GAMMA1 - value for value in ml_integers(signature[32:2336], 18)]
        if max(map(abs, z)) >= ML_GAMMA1 - ML_BETA:
            return False
        z = [ml_ntt(z[at : at + 256]) for at in range(0, 1024, 256)]
        c = ml_ntt(ml_challenge(signature[:32]))
        mixed = hashlib.shake_256(self.hash + b"\0\0" + message).digest(64)
        for row, high, hint in zip(self.matrix, self.high, hints):
            w = [-a * b for a, b in zip(c, high)]
            for left, right in zip(row, z):
                w = [sum_ + a * b for sum_, a, b in zip(w, left, right)]
            parts = [ml_high(value, at in hint) for at, value in enumerate(ml_ntt_back(w))]
            mixed += sum(part << 6 * at for at, part in enumerate(parts)).to_bytes(192, "little")
        return hashlib.shake_256(mixed).digest(32) == signature[:32]


# --- BLS12-381, RFC 9380 ---------------------------------------------------------------------------------------------
# Both curves are computed over Fp2, whose elements are pairs; points are (x, y), or None at infinity.

BLS_P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
BLS_X = 0xD201000000010000  # the curve's parameter is minus this
BLS_R = BLS_X**4 - BLS_X**2 + 1
BLS_DST = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
BLS_G2 = bytes.fromhex(
    "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
)
G1_B = (4, 0)
G2_B = (4, 4)

# The curve of the map, y^2 = x^3 + Ax + B, and the isogeny of degree 11 to G1's curve (RFC 9380, E.2): its denominator is
# the square of the kernel's polynomial, whose coefficients stand here, the lowest first; the rest follows by Vélu.
SSWU_A = 0x144698A3B8E9433D693A02C96D4982B0EA985383EE66A8D8E8981AEFD881AC98936F8DA0E0F97F5CF428082D584C1D
SSWU_B = 0x12E2908D11688030018B12E8753EEE3B2016C1F0F24F4070A0B9C14FCEF35EF55A23215A316CEAA5D1CC48E98E172BE0
SSWU_Z = 11
KERNEL = (
    0x133341FB0962A34CB0504A9C4FADA0A5090D38679B4C040D5D1C3AFB023A3409FCC0815FEA66D8B02BBEF9C8B5A66E07,
    0x0264908AF037BCEDE00D054CF5D4775E83EB6CF63C76B969F8ED174FB59FCFF78D201F46F6CFC4ED6552E59CE75177B0,
    0x1335C502C1F54C49ACEEA65E87FD7203BA0F626F305FC0CFD606A5DAE9F3C8E81A4B3B69600129FABD307C69BF319D39,
    0x094440F65F408A6E930E16E3E92DD17BF60D6E9679A8D3D58593DE55AC23703042D609537EB3549AAC234D896CA82944,
    0x04AFE09D5CF4956A23B6B71F59D2B3407B415A774B7BE81BBB6FA99CBC798E0AC98BA725A5BC328016B1C268B4766E85,
)
SCALE_X = 0x06E08C248E260E70BD1E962381EDEE3D31D79D7E22C837BC23C0BF1BC24C6B68C24B1B80B64D391FA9C8BA2E8BA2D229
SCALE_Y = 0x15E6BE4E990F03CE4EA50B3B42DF2EB5CB181D8F84965A3957ADD4FA95AF01B2B665027EFEC01C7704B456BE69C8B604


def f2_multiply(a, b):
    return (a[0] * b[0] - a[1] * b[1]) % BLS_P, (a[0] * b[1] + a[1] * b[0]) % BLS_P


def f2_subtract(a, b):
    return (a[0] - b[0]) % BLS_P, (a[1] - b[1]) % BLS_P


def f2_invert(a):
    inverse = pow(a[0] * a[0] + a[1] * a[1], -1, BLS_P)
    return a[0] * inverse % BLS_P, -a[1] * inverse % BLS_P


def f2_root(a):
    """A square root, or None."""
    norm = fp_root(a[0] * a[0] + a[1] * a[1])
    if norm is None:
        return None
    half = (BLS_P + 1) // 2
    for sign in (norm, -norm):
        x = fp_root((a[0] + sign) * half)
        if x:
            root = x, a[1] * pow(2 * x, -1, BLS_P) % BLS_P
        elif x == 0:
            root = 0, fp_root(-a[0])
        else:
            continue
        if root[1] is not None and f2_multiply(root, root) == (a[0] % BLS_P, a[1] % BLS_P):
            return root
    return None


def fp_root(a):
    root = pow(a, (BLS_P + 1) // 4, BLS_P)
    return root if (root * root - a) % BLS_P == 0 else None


def slope(p, q):
    """The slope of the line through two points, or of the tangent; None when it is upright."""
    if p[0] != q[0]:
        return f2_multiply(f2_subtract(q[1], p[1]), f2_invert(f2_subtract(q[0], p[0])))
    if p[1] != q[1] or p[1] == (0, 0):
        return None
    square = f2_multiply(p[0], p[0])
    return f2_multiply((3 * square[0], 3 * square[1]), f2_invert((2 * p[1][0], 2 * p[1][1])))


def g_add(p, q):
    if p is None or q is None:
        return q if p is None else p
    m = slope(p, q)
    if m is None:
        return None
    x = f2_subtract(f2_subtract(f2_multiply(m, m), p[0]), q[0])
    return x, f2_subtract(f2_multiply(m, f2_subtract(p[0], x)), p[1])


def g_multiply(p, scalar):
    total = None
    for bit in bin(scalar)[2:]:
        total = g_add(total, total)
        if bit == "1":
            total = g_add(total, p)
    return total


def g_decode(encoded):
    """The point of a compressed encoding: 48 bytes in G1, 96 in G2. None for infinity and for all that is no such point."""
    flags, size = encoded[0] >> 5, len(encoded)
    if flags & 6 != 4:
        return None
    first = int.from_bytes(bytes([encoded[0] & 31]) + encoded[1:48], "big")
    x, b = ((first, 0), G1_B) if size == 48 else ((int.from_bytes(encoded[48:], "big"), first), G2_B)
    if max(x) >= BLS_P:
        return None
    cube = f2_multiply(f2_multiply(x, x), x)
    square = (cube[0] + b[0]) % BLS_P, (cube[1] + b[1]) % BLS_P
    y = f2_root(square) if size == 96 else (fp_root(square[0]), 0)
    if y is None or y[0] is None:
        return None
    if ((y[1] or y[0]) > BLS_P // 2) != bool(flags & 1):
        y = -y[0] % BLS_P, -y[1] % BLS_P
    return (x, y) if g_multiply((x, y), BLS_R) is None else None


def g1_encode(p):
    sign = 0x20 if p[1][0] > BLS_P // 2 else 0
    encoded = p[0][0].to_bytes(48, "big")
    return bytes([encoded[0] | 0x80 | sign]) + encoded[1:]


def g2_encode(p):
    sign = 0x20 if (p[1][1] or p[1][0]) > BLS_P // 2 else 0
    encoded = p[0][1].to_bytes(48, "big") + p[0][0].to_bytes(48, "big")
    return bytes([encoded[0] | 0x80 | sign]) + encoded[1:]


def expand_message(message, length):
    """expand_message_xmd of RFC 9380, 5.3.1, with SHA-256."""
    suffix = BLS_DST + bytes([len(BLS_DST)])
    first = hashlib.sha256(bytes(64) + message + length.to_bytes(2, "big") + b"\0" + suffix).digest()
    block, out = bytes(32), b""
    for i in range(1, (length + 31) // 32 + 1):
        mixed = bytes(a ^ b for a, b in zip(first, block))
        block = hashlib.sha256(mixed + bytes([i]) + suffix).digest()
        out += block
    return out[:length]


def map_to_curve(u):
    """The simplified SWU map of RFC 9380, 6.6.2, and the isogeny to G1's curve."""
    t = SSWU_Z * u * u % BLS_P
    sum_ = (t * t + t) % BLS_P
    if sum_:
        x = -SSWU_B * pow(SSWU_A, -1, BLS_P) * (1 + pow(sum_, -1, BLS_P)) % BLS_P
    else:
        x = SSWU_B * pow(SSWU_Z * SSWU_A, -1, BLS_P) % BLS_P
    y = fp_root(x * x * x + SSWU_A * x + SSWU_B)
    if y is None:
        x = t * x % BLS_P
        y = fp_root(x * x * x + SSWU_A * x + SSWU_B)
    if y & 1 != u & 1:
        y = -y % BLS_P
    return isogeny(x, y)


def isogeny(x, y):
    """Vélu's formulas with the kernel's polynomial h, in terms of g = h'/h and its derivatives, then the scaling."""
    h = h1 = h2 = h3 = 0  # h and its derivatives at x, divided by 1, 1, 2 and 6
    for coefficient in (1,) + KERNEL[::-1]:
        h3 = (h3 * x + h2) % BLS_P
        h2 = (h2 * x + h1) % BLS_P
        h1 = (h1 * x + h) % BLS_P
        h = (h * x + coefficient) % BLS_P
    if h == 0:
        return None
    inverse = pow(h, -1, BLS_P)
    g, second, third = h1 * inverse % BLS_P, 2 * h2 * inverse % BLS_P, 6 * h3 * inverse % BLS_P
    g1 = (second - g * g) % BLS_P
    g2 = (third - 3 * g * second + 2 * g * g * g) % BLS_P
    f, f1 = x * x * x + SSWU_A * x + SSWU_B, 3 * x * x + SSWU_A
    to_x = 11 * x + 2 * KERNEL[4] - 2 * f1 * g - 4 * f * g1
    to_y = 11 - 12 * x * g - 6 * f1 * g1 - 4 * f * g2
    return (to_x * SCALE_X % BLS_P, 0), (y * to_y * SCALE_Y % BLS_P, 0)


def hash_to_g1(message):
    uniform = expand_message(message, 128)
    points = [map_to_curve(int.from_bytes(uniform[i : i + 64], "big") % BLS_P) for i in (0, 64)]
    return g_multiply(g_add(*points), BLS_X + 1)


def f12_multiply(a, b):
    """The product in Fp12: six coefficients in Fp2 of the powers of w, with w^6 = 1 + i. A missing one is None."""
    real, imaginary = [0] * 11, [0] * 11
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            if left is not None and right is not None:
                real[i + j] += left[0] * right[0] - left[1] * right[1]
                imaginary[i + j] += left[0] * right[1] + left[1] * right[0]
    for k in range(5):
        real[k] += real[k + 6] - imaginary[k + 6]
        imaginary[k] += real[k + 6] + imaginary[k + 6]
    return [(real[k] % BLS_P, imaginary[k] % BLS_P) for k in range(6)]


def f12_power(a, exponent):
    result = a
    for bit in bin(exponent)[3:]:
        result = f12_multiply(result, result)
        if bit == "1":
            result = f12_multiply(result, a)
    return result


def line(m, t, p):
    """The line with slope m through t of G2, at p of G1, times w^3, which the last power removes."""
    through = f2_subtract(f2_multiply(m, t[0]), t[1])
    x, y = p[0][0], p[1][0]
    return [through, None, (-m[0] * x % BLS_P, -m[1] * x % BLS_P), (y, 0), None, None]


def pairings_cancel(pairs):
    """Whether the product of the pairings of (point of G1, point of G2) is one."""
    f = [(1, 0)] + [(0, 0)] * 5
    at = [q for _, q in pairs]
    for bit in bin(BLS_X)[3:]:
        f = f12_multiply(f, f)
        for i, (p, q) in enumerate(pairs):
            f = f12_multiply(f, line(slope(at[i], at[i]), at[i], p))
            at[i] = g_add(at[i], at[i])
            if bit == "1":
                f = f12_multiply(f, line(slope(at[i], q), at[i], p))
                at[i] = g_add(at[i], q)
    return final_power_is_one(f)


# w^(p - 1) for the map x -> x^p, which conjugates the coefficients.
FROBENIUS = None


def f12_frobenius(a):
    """a to the power p."""
    global FROBENIUS
    if FROBENIUS is None:
        root = f2_power((1, 1), (BLS_P - 1) // 6)
        FROBENIUS = [f2_power(root, k) for k in range(6)]
    return [f2_multiply((c[0], -c[1]), factor) for c, factor in zip(a, FROBENIUS)]


def f2_power(a, exponent):
    result = (1, 0)
    for bit in bin(exponent)[2:]:
        result = f2_multiply(result, result)
        if bit == "1":
            result = f2_multiply(result, a)
    return result


def f12_conjugate(a):
    """a to the power p^6, which is 1/a once a has been raised to p^6 - 1."""
    return [(-c[0] % BLS_P, -c[1] % BLS_P) if k % 2 else c for k, c in enumerate(a)]


def f12_invert(a):
    """The product of a and its conjugate lies in Fp6, the coefficients of even powers, and is inverted there."""
    conjugate = f12_conjugate(a)
    b0, _, b1, _, b2, _ = f12_multiply(a, conjugate)
    xi = (1, 1)
    t0 = f2_subtract(f2_multiply(b0, b0), f2_multiply(xi, f2_multiply(b1, b2)))
    t1 = f2_subtract(f2_multiply(xi, f2_multiply(b2, b2)), f2_multiply(b0, b1))
    t2 = f2_subtract(f2_multiply(b1, b1), f2_multiply(b0, b2))
    rest = f2_multiply(b2, t1), f2_multiply(b1, t2)
    rest = f2_multiply(xi, (rest[0][0] + rest[1][0], rest[0][1] + rest[1][1]))
    norm = f2_multiply(b0, t0)
    inverse = f2_invert((norm[0] + rest[0], norm[1] + rest[1]))
    return f12_multiply(conjugate, [f2_multiply(t, inverse) if t else None for t in (t0, None, t1, None, t2, None)])


def final_power_is_one(f):
    """Whether f^((p^12 - 1) / r) is one. Its last factor is (x - 1)^2 (x + p) (x^2 + p^2 - 1) / 3 + 1, with the cube of which
    the answer is the same, as 3 does not divide r. Powers of the negative x are conjugates of those of -x."""
    f = f12_multiply(f12_conjugate(f), f12_invert(f))
    f = f12_multiply(f12_frobenius(f12_frobenius(f)), f)

    def power_x(a):
        return f12_conjugate(f12_power(a, BLS_X))

    a = f
    for _ in range(2):
        a = f12_multiply(power_x(a), f12_conjugate(a))
    a = f12_multiply(power_x(a), f12_frobenius(a))
    b = f12_multiply(power_x(power_x(a)), f12_frobenius(f12_frobenius(a)))
    b = f12_multiply(b, f12_conjugate(a))
    return f12_multiply(b, f12_multiply(f, f12_multiply(f, f))) == [(1, 0)] + [(0, 0)] * 5


def beacon_message(round_):
    return hashlib.sha256(round_.to_bytes(8, "big")).digest()


def beacon_verify(public_point, round_, signature):
    """Whether 48 bytes are the signature of a round under a key, by section 8 of the protocol."""
    point = g_decode(signature)
    hashed = hash_to_g1(beacon_message(round_))
    if point is None or hashed is None:
        return False
    minus = hashed[0], f2_subtract((0, 0), hashed[1])
    return pairings_cancel([(point, g_decode(BLS_G2)), (minus, public_point)])


# --- Merkle tree, RFC 9162 -------------------------------------------------------------------------------------------


def roots_at(leaves, sizes):
    """The roots of the tree of the first n leaves, for each n of sizes that there are leaves for."""
    sha256 = hashlib.sha256
    roots = {0: sha256(b"").digest()}
    wanted = sorted(set(sizes) - {0}, reverse=True)
    complete, count = [], 0  # roots of the complete subtrees that the leaves so far fill, the largest first
    for leaf in leaves:
        node, bits = sha256(b"\0" + leaf).digest(), count
        while bits & 1:
            node = sha256(b"\1" + complete.pop() + node).digest()
            bits >>= 1
        complete.append(node)
        count += 1
        if wanted and wanted[-1] == count:
            wanted.pop()
            node = complete[-1]
            for left in reversed(complete[:-1]):
                node = sha256(b"\1" + left + node).digest()
            roots[count] = node
    return roots


# --- Values of header lines and rows ---------------------------------------------------------------------------------


class Form:
    """The form of a value: how it is written in sentences, and what turns its text into a value."""

    def __init__(self, form, parse):
        self.form, self.parse = form, parse

    def or_none(self):
        return Form(self.form + " | none", lambda text: None if text == "none" else self.parse(text))


def integer(low=0, high=GREATEST):
    def parse(text):
        if not re.fullmatch("0|[1-9][0-9]{0,15}", text) or not low <= int(text) <= high:
            raise ValueError
        return int(text)

    return Form("%d...%d" % (low, high), parse)


def pattern(expression):
    def parse(text):
        if not re.fullmatch(expression, text):
            raise ValueError
        return text

    return Form(expression, parse)


def one_of(*choices):
    def parse(text):
        if text not in choices:
            raise ValueError
        return text

    return Form(" | ".join(choices), parse)


def some_of(choices, least=1, needed=None):
    """Choices joined by commas, each at most once, in their order."""

    def parse(text):
        chosen = text.split(",")
        if chosen != [c for c in choices if c in chosen] or (needed and needed not in chosen):
            raise ValueError
        return tuple(chosen)

    return Form(",".join(choices), parse)


def parse_time(text):
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", text):
        raise ValueError
    seconds = calendar.timegm(datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").timetuple())
    if seconds < 0 or format_time(seconds) != text:
        raise ValueError
    return seconds


def format_time(seconds):
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        return "%04d%s" % (moment.year, moment.strftime("-%m-%dT%H:%M:%SZ"))
    except OverflowError:
        return "%d s" % seconds


def parse_base64(text):
    """Bytes of the one base64 text that stands for them."""
    value = base64.b64decode(text.encode("ascii"), validate=True)
    if base64.b64encode(value).decode("ascii") != text:
        raise ValueError
    return value


def parse_key(text, sizes):
    """(name, key id, type, public key) of NAME+KEYID+KEY; sizes has those of the keys of each type."""
    name, identity, encoded = text.split("+", 2)
    key = parse_base64(encoded)
    if not re.fullmatch("[!-~]+", name) or len(key) - 1 != sizes.get(key[0] if key else None):
        raise ValueError
    if hashlib.sha256(name.encode() + b"\n" + key).digest()[:4].hex() != identity:
        raise ValueError
    return name, bytes.fromhex(identity), key[0], key[1:]


def parse_log_key(text):
    """(name, key id, public key)."""
    name, identity, _, public = parse_key(text, {1: 32})
    return name, identity, public


SLUG = pattern("[a-z0-9]+(-[a-z0-9]+)*")
HASH = pattern("[0-9a-f]{64}")
HOST = pattern(r"[a-z0-9.:\[\]-]+")
TIME = Form("YYYY-MM-DDTHH:MM:SSZ", parse_time)
KEY = pattern("[0-9a-f]{192}")
SIGNATURE = pattern("[0-9a-f]{96}")
POSITIVE = integer(1)

TERMS = (
    ("contest", SLUG),
    ("host", HOST),
    ("demonstration", one_of("yes", "no")),
    ("tickets", integer(1, 10_000_000)),
    ("kinds", some_of(KINDS)),
    ("per-person", integer().or_none()),
    ("post-reserve", integer()),
    ("price", integer()),
    ("prize-value", integer().or_none()),
    ("closes", TIME),
    ("objections", POSITIVE),
    ("seal-margin", POSITIVE),
    ("draw", TIME),
    ("algorithm", one_of("draw-v1")),
    ("beacon-chain", HASH),
    ("beacon-key", KEY),
    ("beacon-genesis", integer()),
    ("beacon-period", POSITIVE),
    ("beacon-scheme", one_of(SCHEME)),
    ("beacon-round", POSITIVE),
    ("beacon-patience", integer()),
    ("notice", POSITIVE),
    ("log-key", Form("NAME+KEYID+KEY", parse_log_key)),
    ("witness-policy", HASH.or_none()),
    ("stamp-authority", HASH.or_none()),
    ("claim", POSITIVE),
    ("alternate-delay", POSITIVE),
    ("alternates-decided", integer()),
    ("void-reasons", some_of(VOID_REASONS).or_none()),
    ("forfeit-reasons", some_of(FORFEIT_REASONS, needed="voided")),
    ("question", HASH.or_none()),
)
LIST = (
    ("contest", SLUG),
    ("terms", HASH),
    ("log-size", integer()),
    ("log-root", HASH),
    ("paid", integer()),
    ("postal", integer()),
    ("demo", integer()),
    ("valid", integer()),
    ("chain", HASH),
    ("round", POSITIVE),
    ("algorithm", one_of("draw-v1")),
)
RESULT = (
    ("contest", SLUG),
    ("attempt", integer()),
    ("list", HASH),
    ("chain", HASH),
    ("round", POSITIVE),
    ("signature", SIGNATURE),
    ("randomness", HASH),
    ("remaining", POSITIVE),
    ("tries", POSITIVE),
    ("value", HASH),
    ("index", integer()),
    ("number", POSITIVE),
    ("kind", one_of(*KINDS)),
    ("commitment", HASH),
)
FORFEITURE = (
    ("contest", SLUG),
    ("attempt", integer()),
    ("number", POSITIVE),
    ("reason", one_of(*FORFEIT_REASONS)),
    ("statement", HASH.or_none()),
    ("log-size", integer()),
    ("log-root", HASH),
    ("published", TIME),
    ("chain", HASH),
    ("round", POSITIVE),
)
LEAVES = {
    "open": (("terms hash", HASH),),
    "entry": (("number", integer()), ("kind", one_of(*KINDS)), ("commitment", HASH)),
    "void": (("number", integer()), ("reason", one_of(*VOID_REASONS))),
    "close": (("closing instant", TIME), ("pending", integer())),
    "list": (("list hash", HASH),),
    "seal": (("list hash", HASH), ("list root", HASH), ("valid", integer()), ("valid root", HASH)),
    "result": (("attempt", integer()), ("result hash", HASH)),
    "claim": (("attempt", integer()), ("claim hash", HASH)),
    "forfeit": (("attempt", integer()), ("forfeiture hash", HASH)),
    "award": (("attempt", integer()), ("number", POSITIVE)),
    "cancel": (("reason", one_of(*CANCEL_REASONS)),),
}
REPEATED = ("seal", "result", "forfeit", "award", "cancel")  # leaves that the register repeats
REGISTER_LEAVES = {
    "terms": (("terms hash", HASH),),
    "log": (("size", POSITIVE), ("root", HASH)),
    **{kind: LEAVES[kind] for kind in REPEATED},
}
VERIFIER_LEAF = (("name", pattern("[a-z0-9.-]+")), ("hash", HASH))


# --- Files -----------------------------------------------------------------------------------------------------------

NAMES = re.compile(
    r"README\.txt|terms\.txt|question\.txt|text-[a-z]{2}\.txt|policy\.txt|log\.txt|checkpoints\.txt|register\.txt"
    r"|register-checkpoints\.txt|provisional\.txt|list\.txt|authority\.pem|terms\.tsr|seal\.tsr"
    r"|beacon-(0|[1-9][0-9]{0,5})\.json|(result|forfeiture|statement)-(0|[1-9][0-9]{0,5})\.txt"
)


class Pack:
    """The files of a draw, from an archive (whose members are read in memory only), a folder, or one by one."""

    def __init__(self):
        self.sources, self.folder, self.complete, self.archive, self.limit = {}, None, False, None, FILE_LIMIT

    def add_archive(self, path):
        self.complete = True
        try:
            self.archive = zipfile.ZipFile(path)
            members = self.archive.infolist()
        except Exception as error:  # zipfile raises many kinds for bytes that are no archive
            raise Fault("zip-unreadable", os.path.basename(path), why=error or type(error).__name__) from None
        if len(members) > MEMBER_LIMIT:
            raise Fault("zip-unreadable", os.path.basename(path), why="%d files" % len(members))
        for member in members:
            folder, slash, name = member.orig_filename.partition("/")
            if not slash or "/" in name or "\\" in member.orig_filename or folder in ("", ".", ".."):
                raise Fault("zip-path", os.path.basename(path), found=member.orig_filename)
            if self.folder not in (None, folder):
                raise Fault("zip-path", os.path.basename(path), found=member.orig_filename)
            self.folder = folder
            if not name:
                continue
            if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Fault("zip-unreadable", name, why="encryption or compression method")
            self.add(name, member)

    def add(self, name, source):
        if name in self.sources:
            raise Fault("file-twice", name)
        self.sources[name] = source

    def __contains__(self, name):
        return name in self.sources

    def read(self, name, only=None):
        """The bytes of a file, or its first ones only. What an archive says of sizes is not believed."""
        source = self.sources.get(name)
        if source is None:
            raise Fault("file-missing", name)
        try:
            if isinstance(source, zipfile.ZipInfo):
                with self.archive.open(source) as stream:
                    data = read_most(stream, only or self.limit + 1)
            else:
                data = read_file(source, only or self.limit + 1)
        except Fault:
            raise
        except Exception as error:  # damaged archives raise many kinds
            raise Fault("file-unreadable", name, why=error or type(error).__name__) from None
        if len(data) > self.limit:
            raise Fault("file-large", name, limit=self.limit)
        return data


def read_most(stream, most):
    data = bytearray()
    while len(data) < most:
        part = stream.read(min(1 << 20, most - len(data)))
        if not part:
            break
        data += part
    return bytes(data)


def read_file(path, most):
    name = os.path.basename(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Fault("file-unreadable", name, why="not a file")
        with open(path, "rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise Fault("file-unreadable", name, why=error.strerror or "?") from None


def spaced(row):
    """A row as sentences show it."""
    return row.rstrip(b"\n").replace(b"\t", b" ") or "-"


def line_at(data, position):
    return data.count(b"\n", 0, position) + 1


def check_bytes(data, file, allowed=rb"[^\n\t\x20-\x7e]"):
    """Refuses bytes that section 1 does not allow."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise Fault("byte-order-mark", file, 1)
    found = re.search(allowed, data)
    if found:
        byte, line = data[found.start()], line_at(data, found.start())
        if byte >= 0x80:
            check_utf8(data, file)
        if byte == 13:
            raise Fault("carriage-return", file, line)
        raise Fault("byte", file, line, byte="%02x" % byte)
    if not data.endswith(b"\n"):
        raise Fault("no-line-end", file, line_at(data, len(data)))


def check_utf8(data, file):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Fault("not-utf8", file, line_at(data, error.start)) from None


def check_prose(data, file):
    """Texts that people write are any UTF-8 with the line ends of section 1."""
    check_bytes(data, file, rb"\r")
    check_utf8(data, file)


def read_header(lines, file, tag, forms):
    """The values of header lines, after the line with the tag."""
    if not lines or lines[0] != tag:
        raise Fault("first-line", file, 1, found=lines[0] if lines else "", expected=tag)
    values = {}
    for number, (name, form) in enumerate(forms, 2):
        start = name + ": "
        if number > len(lines) or not lines[number - 1].startswith(start):
            raise Fault("header", file, number, expected=start)
        values[name] = read_value(lines[number - 1][len(start) :], name, form, file, number)
    return values


def text_forms(lines, before):
    """The lines of the further terms, which are behind the others: one for each language, and one at least."""
    names = []
    for line in lines[before + 1 :]:
        found = re.match("text-[a-z]{2}(?=: )", line)
        if not found or found[0] in names:
            break
        names.append(found[0])
    return tuple((name, HASH.or_none()) for name in names or ["text-fr"])


def read_value(text, name, form, file, line):
    try:
        return form.parse(text)
    except ValueError:
        raise Fault("value", file, line, name=name, found=text, form=form.form) from None


def read_fields(fields, forms, file, line):
    """The values of a leaf after its tag and the name that follows the tag."""
    if len(fields) != len(forms) + 2:
        names = " ".join(name.upper().replace(" ", "-") for name, _ in forms)
        raise Fault("form", file, line, form="%s SLUG %s" % (fields[0], names))
    return [read_value(text, name, form, file, line) for text, (name, form) in zip(fields[2:], forms)]


# --- Checkpoints -----------------------------------------------------------------------------------------------------


class Checkpoint:
    def __init__(self, origin, file, line, size, root, time, signed, signatures):
        self.origin, self.file, self.line, self.size, self.root, self.time = origin, file, line, size, root, time
        self.signed, self.signatures = signed, signatures


def read_checkpoints(data, file, *origins):
    """The checkpoints of a file, one empty line apart."""
    check_bytes(data, file, rb"[^\n\t\x20-\x7e\xe2\x80\x94]")
    lines = check_utf8(data, file).split("\n")[:-1]
    checkpoints, at = [], 0
    while at < len(lines) or not checkpoints:
        if at >= len(lines):
            raise Fault("no-checkpoint", file)
        part = lines[at : at + 5] + [""] * 5
        if part[0] not in origins:
            raise Fault("differs", file, at + 1, name="origin", found=part[0], expected=origins[0])
        size = read_value(part[1], "size", integer(), file, at + 2)
        root = read_value(part[2], "root", Form("base64", parse_base64), file, at + 3)
        if len(root) != 32:
            raise Fault("value", file, at + 3, name="root", found=part[2], form="base64")
        if not part[3].startswith("time "):
            raise Fault("header", file, at + 4, expected="time ")
        time = read_value(part[3][5:], "time", TIME, file, at + 4)
        if at + 4 >= len(lines) or part[4]:
            raise Fault("form", file, at + 5, form="\\n")
        signed, begin = "".join(line + "\n" for line in part[:4]).encode(), at
        at += 5
        signatures = []
        while at < len(lines) and lines[at]:
            match = re.fullmatch("\u2014 ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})", lines[at])
            if not match:
                raise Fault("form", file, at + 1, form="\u2014 KEYNAME SIGNATURE")
            value = read_value(match[2], "signature", Form("base64", parse_base64), file, at + 1)
            if len(value) < 5:
                raise Fault("value", file, at + 1, name="signature", found=match[2], form="base64")
            signatures.append((at + 1, match[1], value))
            at += 1
        if not signatures:
            raise Fault("form", file, at + 1, form="\u2014 KEYNAME SIGNATURE")
        checkpoints.append(Checkpoint(part[0], file, begin + 1, size, root, time, signed, signatures))
        if at < len(lines):
            at += 1
            if at == len(lines):
                raise Fault("extra-lines", file, at)
    return checkpoints


# --- Witnesses -------------------------------------------------------------------------------------------------------

ED25519_WITNESS, ML_DSA_44_WITNESS = 4, 6
WITNESS_KEYS = {ED25519_WITNESS: 32, ML_DSA_44_WITNESS: 1312}  # bytes
SIGNATURES = {ED25519_WITNESS: 64, ML_DSA_44_WITNESS: 2420}
NEVER = float("inf")


class Witness:
    def __init__(self, text):
        self.name, self.identity, self.type, self.public = parse_key(text, WITNESS_KEYS)
        self.key = Ed25519Key(self.public) if self.type == ED25519_WITNESS else MlDsa44Key(self.public)
        if not self.key.usable:
            raise ValueError

    def time_signed(self, checkpoint, value):
        """The time of a cosignature of this witness, given with its key id; None when it is false."""
        time, signature = value[4:12], value[12:]
        seconds = int.from_bytes(time, "big")
        if not 1 <= seconds <= GREATEST or len(signature) != SIGNATURES[self.type]:
            return None
        if self.type == ED25519_WITNESS:
            message = b"cosignature/v1\ntime %d\n" % seconds + checkpoint.signed
        else:
            name, origin = self.name.encode(), checkpoint.origin.encode()
            if max(len(name), len(origin)) > 255:
                return None
            message = b"subtree/v1\n\0" + bytes([len(name)]) + name + time + bytes([len(origin)]) + origin
            message += bytes(8) + checkpoint.size.to_bytes(8, "big") + checkpoint.root
        return seconds if self.key.verify(signature, message) else None


class Policy:
    """Who the witnesses are and which of them suffice, of a file in the format https://c2sp.org/tlog-policy."""

    def __init__(self, data, file):
        self.witnesses, self.groups, self.quorum = {}, {}, None  # name: witness; name: (threshold, names)
        self.members, self.file = set(), file
        lines = check_utf8(data, file).split("\n")[:-1]
        if len(lines) > POLICY_LIMIT:
            raise Fault("policy-lines", file, POLICY_LIMIT + 1, limit=POLICY_LIMIT)
        for number, line in enumerate(lines, 1):
            self.line, words = number, [word for word in re.split("[ \t]+", line) if word]
            if words and words[0] != "log" and not words[0].startswith("#"):
                self.add(*words)
        if self.quorum is None:
            raise Fault("policy-quorum", file)

    def add(self, what, *words):
        if what == "witness" and len(words) in (2, 3):
            self.define(words[0])
            form = Form("NAME+KEYID+KEY", Witness)
            witness = read_value(words[1], "witness", form, self.file, self.line)
            if any(witness.public == other.public for other in self.witnesses.values()):
                raise Fault("policy-twice", self.file, self.line, found=words[1])
            for address in words[2:]:
                read_value(address, "URL", pattern("https?://.*"), self.file, self.line)
            self.witnesses[words[0]] = witness
        elif what == "group" and len(words) > 2:
            self.define(words[0])
            members = words[2:]
            for name in members:
                self.expect_defined(name)
                if name in self.members:
                    raise Fault("policy-twice", self.file, self.line, found=name)
                self.members.add(name)
            least = {"any": 1, "all": len(members)}.get(words[1])
            least = least or read_value(words[1], "threshold", integer(1, len(members)), self.file, self.line)
            self.groups[words[0]] = least, members
        elif what == "quorum" and len(words) == 1:
            if self.quorum is not None:
                raise Fault("policy-twice", self.file, self.line, found=what)
            if words[0] != "none":
                self.expect_defined(words[0])
            self.quorum = words[0]
        else:
            forms = "witness NAME VKEY [URL] | group NAME N NAME... | quorum NAME | log VKEY [URL]"
            raise Fault("form", self.file, self.line, form=forms)

    def define(self, name):
        if name == "none" or name in self.witnesses or name in self.groups:
            raise Fault("policy-twice", self.file, self.line, found=name)

    def expect_defined(self, name):
        if name not in self.witnesses and name not in self.groups:
            raise Fault("policy-unknown", self.file, self.line, found=name)

    def asks(self):
        return self.quorum != "none"

    def confirmed(self, times, name=None):
        """When the quorum had signed, given when each witness had (name: time)."""
        name = name or self.quorum
        if name in self.groups:
            least, members = self.groups[name]
            return sorted(self.confirmed(times, member) for member in members)[least - 1]
        return times.get(name, NEVER)


# --- Time stamps, RFC 3161 --------------------------------------------------------------------------------------------

STAMPS = ("authority.pem", "terms.tsr", "seal.tsr")
PEM_WIDTH = 64
BOOLEAN, INTEGER, OCTETS, OID, GENERALIZED_TIME, SEQUENCE, SET = 1, 2, 4, 6, 0x18, 0x30, 0x31
INNER = 0xA0  # the tag [0], of something constructed


def oid(text):
    """The contents of an object identifier."""
    first, second, *rest = map(int, text.split("."))
    contents = b""
    for number in [40 * first + second] + rest:
        digits = [number & 127]
        while number > 127:
            number >>= 7
            digits.append(number & 127 | 128)
        contents += bytes(digits[::-1])
    return contents


SIGNED_DATA, STAMP_CONTENT = oid("1.2.840.113549.1.7.2"), oid("1.2.840.113549.1.9.16.1.4")
SHA256 = oid("2.16.840.1.101.3.4.2.1")
RSA, ELLIPTIC = oid("1.2.840.113549.1.1.1"), oid("1.2.840.10045.2.1")
# For each hash that content and attributes may have: how it is called, and the signatures with it by RSA and ECDSA.
STAMP_HASHES = {
    oid("2.16.840.1.101.3.4.2.%d" % number): (
        name,
        {RSA: (RSA, oid("1.2.840.113549.1.1.%d" % rsa)), ELLIPTIC: (oid("1.2.840.10045.4.3.%d" % ec),)},
    )
    for number, name, rsa, ec in ((1, "sha256", 11, 2), (2, "sha384", 12, 3), (3, "sha512", 13, 4))
}
# Of one certificate by another: with SHA-1, too, and by RSASSA-PSS.
CERTIFICATE_SIGNATURES = {one for _, kinds in STAMP_HASHES.values() for both in kinds.values() for one in both} - {RSA} | {
    oid(name) for name in ("1.2.840.113549.1.1.5", "1.2.840.10045.4.1", "1.2.840.113549.1.1.10")
}
CURVES = {oid(name) for name in ("1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35")}  # P-256, P-384 and P-521
CONTENT_TYPE, MESSAGE_DIGEST = oid("1.2.840.113549.1.9.3"), oid("1.2.840.113549.1.9.4")
SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_2 = oid("1.2.840.113549.1.9.16.2.12"), oid("1.2.840.113549.1.9.16.2.47")
KEY_PURPOSES, STAMPING = oid("2.5.29.37"), oid("1.3.6.1.5.5.7.3.8")


def der_head(data, at, end):
    """(where the contents begin, where they end) of the element at a place; ValueError unless its length is that of DER."""
    first, at = data[at : at + 1], at + 1
    if first and first[0] & 31 == 31:
        while at < end and data[at] & 128:
            at += 1
        at += 1
    if at >= end:
        raise ValueError
    length, at = data[at], at + 1
    if length >= 128:
        size = length - 128
        length = int.from_bytes(data[at : at + size], "big")
        if not 1 <= size <= 2 or length < (128, 256)[size - 1]:
            raise ValueError
        at += size
    if at + length > end:
        raise ValueError
    return at, at + length


def shortest(integer):
    """The same integer without bytes in front that say nothing."""
    while len(integer) > 1 and integer[0] == (0xFF if integer[1] & 128 else 0):
        integer = integer[1:]
    return integer


class Der:
    """An element of DER. What it holds is taken in order, and must be of the tags that are asked for: else ValueError."""

    def __init__(self, data, at=0, end=None):
        self.tag, self.at = data[at], at
        self.data, (self.next, self.end) = data, der_head(data, at, len(data) if end is None else end)
        self.contents = data[self.next : self.end]

    @classmethod
    def whole(cls, data):
        """The one element of the data, after a look at all that are in it."""
        ends, at = [len(data)], 0
        while ends:
            if at == ends[-1]:
                ends.pop()
                continue
            begin, end = der_head(data, at, ends[-1])
            if not data[at] & 0xC0 and bool(data[at] & 32) != (data[at] & 31 in (8, 11, 16, 17)):
                raise ValueError  # of the universal types, strings are in one piece, and only these hold elements
            if data[at] == INTEGER and (begin == end or data[begin:end] != shortest(data[begin:end])):
                raise ValueError
            if data[at] & 32:
                ends.append(end)
                at = begin
            else:
                at = end
        element = cls(data)
        if element.end != len(data):
            raise ValueError
        return element

    def all(self):
        return self.data[self.at : self.end]

    def peek(self):
        return self.data[self.next] if self.next < self.end else None

    def take(self, *tags):
        if self.peek() is None or (tags and self.peek() not in tags):
            raise ValueError
        element = Der(self.data, self.next, self.end)
        self.next = element.end
        return element

    def take_if(self, tag):
        return self.take(tag) if self.peek() == tag else None

    def each(self, *tags):
        found = []
        while self.peek() is not None:
            found.append(self.take(*tags))
        return found

    def close(self):
        if self.peek() is not None:
            raise ValueError


class Certificate:
    """What a stamp's check needs to know of a certificate."""

    def __init__(self, der):
        self.der = der
        whole = Der.whole(self.der)
        body = whole.take(SEQUENCE)
        signature = whole.take(SEQUENCE).take(OID).contents
        whole.take(3)
        whole.close()
        body.take_if(INNER)
        self.serial = body.take(INTEGER).contents
        body.take(SEQUENCE)
        issuer, _, subject = [body.take(SEQUENCE).contents for _ in ("issuer", "validity", "subject")]
        key = body.take(SEQUENCE).take(SEQUENCE)
        self.key_type = key.take(OID).contents
        is_known = self.key_type == RSA or (self.key_type == ELLIPTIC and key.take().contents in CURVES)
        self.is_allowed = is_known and (issuer == subject or signature in CERTIFICATE_SIGNATURES)
        body.take_if(0x81), body.take_if(0x82), body.take_if(0xA1), body.take_if(0xA2)
        extensions = body.take_if(0xA3)
        body.close()
        self.extensions = [self.extension(one) for one in extensions.take(SEQUENCE).each(SEQUENCE)] if extensions else []

    @staticmethod
    def extension(element):
        """(name, whether it is critical, value)."""
        name, critical = element.take(OID).contents, element.take_if(BOOLEAN)
        value = element.take(OCTETS).contents
        element.close()
        return name, bool(critical and critical.contents == b"\xff"), value

    def is_for_stamps(self):
        """Whether time stamps are what the certificate says that it is for, critically, and nothing else is."""
        found = [(critical, value) for name, critical, value in self.extensions if name == KEY_PURPOSES]
        if len(found) != 1 or not found[0][0]:
            return False
        return [one.contents for one in Der.whole(found[0][1]).each(OID)] == [STAMPING]


class Stamp:
    """The answer of an authority: its form (ValueError), what it is of, and when."""

    def __init__(self, data):
        answer = Der.whole(data)
        if answer.tag != SEQUENCE or answer.take(SEQUENCE).take(INTEGER).contents not in (b"\0", b"\1"):
            raise ValueError
        token = answer.take(SEQUENCE)
        answer.close()
        if token.take(OID).contents != SIGNED_DATA:
            raise ValueError
        explicit = token.take(INNER)
        token.close()
        signed = explicit.take(SEQUENCE)
        explicit.close()
        signed.take(INTEGER)
        signed.take(SET)
        content = signed.take(SEQUENCE)
        certificates = signed.take_if(INNER)
        self.certificates = [Certificate(one.all()) for one in certificates.each(SEQUENCE)] if certificates else []
        signed.take_if(0xA1)
        signers = signed.take(SET).each(SEQUENCE)
        signed.close()
        if len(signers) != 1 or content.take(OID).contents != STAMP_CONTENT:
            raise ValueError
        explicit = content.take(INNER)
        content.close()
        self.read_info(Der.whole(explicit.take(OCTETS).contents))
        explicit.close()
        self.read_signer(signers[0])

    def read_info(self, info):
        if info.tag != SEQUENCE or info.take(INTEGER).contents != b"\1":
            raise ValueError
        info.take(OID)
        imprint = info.take(SEQUENCE)
        self.algorithm, self.hash = imprint.take(SEQUENCE).take(OID).contents, imprint.take(OCTETS).contents
        imprint.close()
        info.take(INTEGER)
        time_ = info.take(GENERALIZED_TIME).contents.decode("ascii")
        if not re.fullmatch(r"[0-9]{14}(\.[0-9]+)?Z", time_):
            raise ValueError
        self.time = parse_time(re.sub("(....)(..)(..)(..)(..)(..).*", r"\1-\2-\3T\4:\5:\6Z", time_))
        for tag in (SEQUENCE, BOOLEAN, INTEGER, INNER, 0xA1):  # accuracy, ordering, nonce, tsa, extensions
            info.take_if(tag)
        info.close()

    def read_signer(self, signer):
        signer.take(INTEGER)
        name, self.serial = signer.take(SEQUENCE, 0x80), None
        if name.tag == SEQUENCE:  # its issuer and serial number
            name.take(SEQUENCE)
            self.serial = name.take(INTEGER).contents
            name.close()
        self.digest = signer.take(SEQUENCE).take(OID).contents
        attributes = signer.take_if(INNER)
        self.signature = signer.take(SEQUENCE).take(OID).contents
        signer.take(OCTETS)
        signer.take_if(0xA1)
        signer.close()
        self.attributes = []
        for one in attributes.each(SEQUENCE) if attributes else ():
            self.attributes.append((one.take(OID).contents, one.take(SET).each()))
            one.close()

    def attribute(self, name):
        """The one value of a signed attribute that there is at most once; None when it is missing."""
        found = [values for known, values in self.attributes if known == name]
        if not found:
            return None
        (((value),),) = found
        return value

    def foreign(self, authority):
        """Why the stamp cannot be one of the authority, as far as OpenSSL does not look; None when it can."""
        if not all(one.is_allowed for one in self.certificates + [Certificate(der) for der in authority]):
            return "signatureAlgorithm"
        certificate = self.certificate()
        if not certificate:
            return "signingCertificate"
        if not certificate.is_for_stamps():
            return "extendedKeyUsage"
        _, signatures = STAMP_HASHES.get(self.digest, ("", {}))
        if self.signature not in signatures.get(certificate.key_type, ()):
            return "signatureAlgorithm"
        content_type = self.attribute(CONTENT_TYPE)
        if not content_type or content_type.tag != OID or content_type.contents != STAMP_CONTENT:
            return "contentType"
        if not self.attribute(MESSAGE_DIGEST):
            return "messageDigest"
        return None

    def certificate(self):
        """The certificate whose hash is signed first, and whose serial number the signer gives. OpenSSL looks at all else of both."""
        second = self.attribute(SIGNING_CERTIFICATE_2)
        named = second or self.attribute(SIGNING_CERTIFICATE)
        hashes = []
        for one in named.take(SEQUENCE).each(SEQUENCE) if named else ():
            algorithm = one.take_if(SEQUENCE) if second else None
            name = STAMP_HASHES.get(algorithm.take(OID).contents if algorithm else SHA256, (None,))[0] if second else "sha1"
            hashes.append((name, one.take(OCTETS).contents))
        if not hashes or not all(name for name, _ in hashes):
            return None
        name, hash_ = hashes[0]
        for certificate in self.certificates:
            if hashlib.new(name, certificate.der).digest() == hash_:
                return certificate if certificate.serial == self.serial else None
        return None


def read_certificates(data, file):
    """The certificates of a file, DER, whose own form nobody has looked at."""
    check_bytes(data, file)
    lines, at, end, certificates = data.decode().split("\n")[:-1], 0, "-----END CERTIFICATE-----", []
    while at < len(lines):
        last = lines.index(end, at) if end in lines[at:] else at
        try:
            text = "".join(lines[at + 1 : last])
            certificate = parse_base64(text)
            if lines[at] != "-----BEGIN CERTIFICATE-----" or not certificate:
                raise ValueError
        except ValueError:
            raise Fault("certificate", file, at + 1) from None
        for number in range(at + 1, last):
            begin = (number - at - 1) * PEM_WIDTH
            if not lines[number] or lines[number] != text[begin : begin + PEM_WIDTH]:
                raise Fault("certificate", file, number + 1)
        certificates.append(certificate)
        at = last + 1
    return certificates


class Openssl:
    """The program openssl, which knows the signatures and the certificates of time stamps."""

    def __init__(self):
        self.program = shutil.which("openssl")
        if not self.program:
            raise Skipped("unsupported", why="openssl?")
        with tempfile.TemporaryDirectory(prefix="verify-draw-") as folder:
            code, out = self.run(folder, "version")
        found = re.match(r"OpenSSL ([0-9]+)\.", out)
        if code != 0 or not found or int(found[1]) < 3:
            raise Skipped("unsupported", why=out.split("\n")[0] or self.program)

    def run(self, folder, *words):
        """(exit code, output) of the program, which no setting of the reader's reaches, nor any certificate of the system."""
        environment = {
            name: value for name, value in os.environ.items() if not re.match("OPENSSL_|SSL_CERT_|LC_|LANG", name.upper())
        }
        empty = os.path.join(folder, "empty")
        with open(empty, "ab"):
            pass
        environment.update(LC_ALL="C", OPENSSL_CONF=empty, SSL_CERT_FILE=empty, SSL_CERT_DIR=os.path.join(folder, "none"))
        try:
            done = subprocess.run(
                [self.program, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, timeout=OPENSSL_TIME,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Skipped("unsupported", why="%s: %d s" % (self.program, OPENSSL_TIME)) from None
        except OSError as error:
            raise Skipped("unsupported", why="%s: %s" % (self.program, error.strerror or "?")) from None
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def accepts(self, stamp, hash_, authority, time_):
        """Whether the stamp of a hash is right under the certificates, all of which are looked at as of its time."""
        with tempfile.TemporaryDirectory(prefix="verify-draw-") as folder:
            for name, data in (("stamp.tsr", stamp), ("authority.pem", authority)):
                with open(os.path.join(folder, name), "wb") as stream:
                    stream.write(data)
            words = "ts -verify -digest %s -in stamp.tsr -CAfile authority.pem -partial_chain -attime %d" % (hash_, time_)
            code, out = self.run(folder, *words.split(" "))
        if code == 0 and "Verification: OK" in out:
            return True
        if code == 1 and "Verification: FAILED" in out:
            return False
        raise Skipped("unsupported", why="%s: exit code %d" % (self.program, code))


# --- Verification ----------------------------------------------------------------------------------------------------


class Skipped(Exception):
    """A step that is left out."""

    def __init__(self, code, **details):
        super().__init__(code)
        self.code, self.details = code, details


class Log:
    """What the leaves say."""

    def __init__(self, data):
        self.data, self.size = data, 0
        self.starts = array("Q")  # where each leaf begins
        self.entries, self.voids = {}, {}  # number: index; number: (index, reason)
        self.close = self.list = self.seal = self.award = self.cancel = None  # (index, values...)
        self.results, self.forfeits = [], []  # (index, hash) by attempt
        self.claimed = set()  # attempts
        self.named = []  # indexes of the leaves that are neither entries nor voids
        self.repeated = []  # (index, leaf) of those that the register repeats
        self.roots = {}  # size: root

    def find_roots(self, sizes):
        self.roots = roots_at(self.leaves(), [size for size in sizes if size <= self.size])

    def leaves(self, count=None):
        lines = io.BytesIO(self.data)
        for _ in range(self.size if count is None else count):
            yield next(lines)[:-1]


class Register:
    """What the leaves of the register say of the contest."""

    def __init__(self, data):
        self.lines = data.decode().split("\n")[:-1]
        self.size, self.roots = len(self.lines), {}
        self.sizes = []  # (size of the log of the contest, index)
        self.repeated = []  # (index, leaf)
        self.signed = []  # (size, {witness: time}) by checkpoint

    def find_roots(self, sizes):
        leaves = (line.encode() for line in self.lines)
        self.roots = roots_at(leaves, [size for size in sizes if size <= self.size])


class Verification:
    def __init__(self, pack, kept=(), terms_hash=None, list_hash=None, ticket=None, policy=None):
        self.pack, self.kept_files, self.ticket = pack, kept, ticket
        self.kept_terms, self.kept_list = terms_hash, list_hash
        self.states, self.faults, self.skips, self.remarks = {}, {}, {}, []
        self.partly, self.asked, self.is_silent = set(), [], False
        self.sound = 0  # how many results, from the first one on, are right
        self.terms = self.log = self.checkpoints = self.register = self.draw_rows = self.awaited = None
        self.prefix, self.terms_hash, self.list_hash, self.policy, self.own_policy = "", None, None, None, policy
        self.signatures, self.winners, self.forfeitures, self.answer = {}, {}, {}, {}
        self.stamped = {}  # S of terms.tsr and of seal.tsr

    def run(self):
        for step in STEPS + (("ticket",) if self.ticket else ()):
            self.step, self.faults[step] = step, []
            try:
                getattr(self, "check_" + step)()
            except Fault as fault:
                self.faults[step].append(fault)
            except Skipped as skip:
                self.skips[step] = skip
            if self.faults[step]:
                self.states[step] = "failed"
                self.skips.pop(step, None)
            else:
                self.states[step] = "skipped" if step in self.skips else "passed"

    def fail(self, code, file=None, line=None, **details):
        if len(self.faults[self.step]) < FAULTS_SHOWN:
            self.faults[self.step].append(Fault(code, file, line, **details))

    def remark(self, code, **details):
        self.remarks.append((code, details))

    def attempt(self, action, *arguments):
        """The action's answer; None when it failed, which is noted under the present step."""
        try:
            return action(*arguments)
        except Fault as fault:
            self.fail(fault.code, fault.file, fault.line, **fault.details)
            return None

    def need(self, *steps, partly=False):
        """Leaves the present step out unless those that it needs have passed, or have checked some attempts (`partly`)."""
        for step in steps:
            if self.states.get(step) != "passed" and not (partly and step in self.partly and self.states[step] == "skipped"):
                raise Skipped("needs", needed=step)

    def need_read(self, value, step):
        """The value, when the step could read it, whether or not it found faults in it."""
        if value is None:
            raise Skipped("needs", needed=step)
        return value

    def read(self, name):
        """A file that must be there; of files given one by one it may be missing."""
        if name not in self.pack and not self.pack.complete:
            raise Skipped("not-given", name=name)
        return self.pack.read(name)

    def expect(self, file, values, expected, forms):
        """Compares header lines with what they must be."""
        for line, (name, _) in enumerate(forms, 2):
            if name in expected and values[name] != expected[name]:
                as_time = format_time if name in ("published",) else str
                self.fail("differs", file, line, name=name, found=as_time(values[name]), expected=as_time(expected[name]))

    def time_of(self, index):
        """T(leaf): the time of the first checkpoint that contains it. Checkpoints that passed contain all leaves."""
        return self.checkpoints[bisect_right(self.sizes, index)].time

    # 1

    def check_pack(self):
        for name in self.pack.sources:
            if not NAMES.fullmatch(name):
                self.fail("file-unknown", name)
        if "README.txt" in self.pack:
            data = self.pack.read("README.txt")
            check_prose(data, "README.txt")
            found, expected = data.split(b"\n", 1)[0].decode(), "volant-evidence-v1"
            terms = self.pack.read("terms.txt", 64) if "terms.txt" in self.pack else found.encode()
            if terms.startswith(b"rehearsal-"):
                expected = "rehearsal-" + expected
            if found != expected:
                self.fail("first-line", "README.txt", 1, found=found, expected=expected)

    # 2

    def check_terms(self):
        file = "terms.txt"
        data = self.read(file)
        check_bytes(data, file)
        lines = data.decode().split("\n")[:-1]
        if lines[0] == "rehearsal-volant-terms-v1":
            self.prefix = "rehearsal-"
            self.remark("rehearsal")
        forms = TERMS + text_forms(lines, len(TERMS))
        terms = read_header(lines, file, self.prefix + "volant-terms-v1", forms)
        line = {name: number for number, (name, _) in enumerate(forms, 2)}
        if len(lines) > len(forms) + 1:
            raise Fault("extra-lines", file, len(forms) + 2)
        is_demonstration = terms["demonstration"] == "yes"
        found, expected = terms["log-key"][0], terms["host"] + "/draws"
        if found != expected:
            self.fail("differs", file, line["log-key"], name="log-key", found=found, expected=expected)
        for name in ("witness-policy", "stamp-authority"):
            if self.prefix and terms[name]:
                self.fail("differs", file, line[name], name=name, found=terms[name], expected="none")
        if terms["post-reserve"] > terms["tickets"]:
            self.fail(
                "value", file, line["post-reserve"], name="post-reserve", found=terms["post-reserve"],
                form="0...%d" % terms["tickets"],
            )
        earliest = terms["closes"] + terms["objections"] + terms["seal-margin"]
        if terms["draw"] < earliest:
            self.fail("order-of-times", file, line["draw"], expected=format_time(earliest))
        self.check_beacon_terms(terms, is_demonstration, file, line)
        if not is_demonstration and "demo" in terms["kinds"]:
            self.fail("kind-demo", file, line["kinds"])
        if not is_demonstration and terms["notice"] < 3600:
            self.fail("value", file, line["notice"], name="notice", found=terms["notice"], form=integer(3600).form)
        self.terms_hash = hashlib.sha256(data).hexdigest()
        if not self.faults[self.step]:  # terms that break a rule of section 3 are refused: nothing is checked by them
            self.terms, self.open_tag = terms, self.prefix + "volant-"
            self.pack.limit = min(FILE_LIMIT + terms["tickets"] * (256 + 2 * len(terms["contest"])), GREATEST_LIMIT)
            if is_demonstration:
                self.remark("demonstration")
        if self.pack.folder not in (None, terms["contest"]):
            self.fail("zip-folder", None, None, found=self.pack.folder, expected=terms["contest"])
        if self.kept_terms and self.kept_terms != self.terms_hash:
            self.fail("hash", file, None, found=self.terms_hash, where="--terms-hash", expected=self.kept_terms)
        if "log.txt" in self.pack:
            first = re.match(rb"(?:rehearsal-)?volant-open-v1\t[a-z0-9-]+\t([0-9a-f]{64})\n", self.pack.read("log.txt", 4096))
            if first and first[1].decode() != self.terms_hash:
                self.fail("hash", file, None, found=self.terms_hash, where="log.txt:1", expected=first[1])
        for name in [name[:-4] for name in self.pack.sources if re.fullmatch(r"question\.txt|text-[a-z]{2}\.txt", name)]:
            found = hashlib.sha256(self.pack.read(name + ".txt")).hexdigest()
            if found != terms.get(name):
                where = "terms.txt:%d" % line[name] if name in line else "terms.txt"
                self.fail("hash", name + ".txt", None, found=found, where=where, expected=terms.get(name))

    def check_beacon_terms(self, terms, is_demonstration, file, line):
        if terms["beacon-chain"] == QUICKNET["beacon-chain"]:
            for name in QUICKNET:
                if terms[name] != QUICKNET[name]:
                    self.fail("pinned", file, line[name], name=name)
        elif not is_demonstration:
            self.fail("chain-other", file, line["beacon-chain"])
        if terms["draw"] < terms["beacon-genesis"]:
            self.fail("before-genesis", file, line["beacon-genesis"])
            return
        found, expected = terms["beacon-round"], round_at(terms, terms["draw"])
        if found != expected:
            self.fail("differs", file, line["beacon-round"], name="beacon-round", found=found, expected=expected)

    # 3

    def check_log(self):
        terms = self.need_read(self.terms, "terms")
        file = "log.txt"
        data = self.read(file)
        check_bytes(data, file)
        log = self.log = Log(data)
        tag, slug = self.open_tag.encode(), terms["contest"].encode()
        self.row_from = len(tag + b"entry-v1\t" + slug + b"\t")
        entry = re.compile(
            re.escape(tag + b"entry-v1\t" + slug + b"\t") + rb"([1-9][0-9]{0,7})\t(paid|postal|demo)\t([0-9a-f]{64})\n"
        ).fullmatch
        kinds = {kind.encode() for kind in terms["kinds"]}
        tickets, entries, starts, position = terms["tickets"], log.entries, log.starts, 0
        paid_late, prefixes = 0, array("Q")
        for index, line in enumerate(io.BytesIO(data)):
            starts.append(position)
            position += len(line)
            log.size += 1
            match = entry(line)
            if not match:
                self.attempt(self.check_leaf, index, line[:-1].decode())
                continue
            number, kind = int(match[1]), match[2]
            prefixes.append(int(match[3][:15], 16))
            if index == 0:
                self.fail("rule-1", file, 1)
            if number > tickets:
                self.fail("rule-2-range", file, index + 1, number=number, tickets=tickets)
            if number in entries:
                self.fail("rule-2-twice", file, index + 1, number=number, at=entries[number] + 1)
                continue
            entries[number] = index
            if kind not in kinds:
                self.fail("rule-2-kind", file, index + 1, kind=kind)
            if log.close:
                if kind == b"paid":
                    paid_late += 1
                    if paid_late == log.close[2] + 1:
                        self.fail("rule-3-pending", file, index + 1, pending=log.close[2])
                elif kind == b"demo":
                    self.fail("rule-3-kind", file, index + 1, kind=kind)
                if log.seal:
                    self.fail("rule-5", file, index + 1)
            if log.award or log.cancel:
                self.fail("rule-7" if log.award else "rule-8", file, index + 1)
        self.find_same_commitments(prefixes)

    def find_same_commitments(self, prefixes):
        """Commitments are random: two alike are one ticket under two numbers."""
        ordered = array("Q", sorted(prefixes))
        twice = {a for a, b in zip(ordered, ordered[1:]) if a == b}
        if not twice:
            return
        seen = {}
        for number, index in self.log.entries.items():
            commitment = self.row_of(index).rsplit(b"\t", 1)[1]
            if int(commitment[:15], 16) in twice:
                if commitment in seen:
                    self.remark("same-commitment", line=index + 1, other=seen[commitment] + 1)
                    return
                seen[commitment] = index

    def row_of(self, index):
        """NUMBER, KIND and COMMITMENT of an entry leaf, as they stand in a list."""
        start = self.log.starts[index]
        return self.log.data[start + self.row_from : self.log.data.index(b"\n", start)]

    def check_leaf(self, index, leaf):
        """A leaf that is no well-formed entry."""
        log, terms, file, line = self.log, self.terms, "log.txt", index + 1
        fields = leaf.split("\t")
        kind = fields[0][len(self.open_tag) : -3]
        if fields[0] != self.open_tag + kind + "-v1" or kind not in LEAVES:
            raise Fault("leaf-unknown", file, line, found=fields[0])
        if len(fields) > 1 and fields[1] != terms["contest"]:
            raise Fault("differs", file, line, name="contest", found=fields[1], expected=terms["contest"])
        values = read_fields(fields, LEAVES[kind], file, line)
        if (index == 0) != (kind == "open"):
            self.fail("rule-1", file, line)
        if kind == "open" and values[0] != self.terms_hash:
            self.fail("rule-1", file, line)
        if log.award and kind != "void":
            self.fail("rule-7", file, line)
        elif log.cancel and kind != "void":
            self.fail("rule-8", file, line)
        if kind == "entry":
            raise Fault("rule-2-range", file, line, number=values[0], tickets=terms["tickets"])
        if kind != "void":
            log.named.append(index)
        if kind in REPEATED:
            log.repeated.append((index, leaf))
        if kind != "open":
            getattr(self, "leaf_" + kind)(index, line, *values)

    def leaf_void(self, index, line, number, reason):
        if number not in self.log.entries or number in self.log.voids:
            raise Fault("rule-2-void", "log.txt", line, number=number)
        self.log.voids[number] = (index, reason)
        if reason not in (self.terms["void-reasons"] or ()):
            self.fail("rule-2-reason", "log.txt", line, reason=reason)

    def leaf_close(self, index, line, instant, pending):
        if self.log.close:
            raise Fault("rule-3", "log.txt", line)
        self.log.close = (index, instant, pending)
        if instant != self.terms["closes"]:
            found, expected = format_time(instant), format_time(self.terms["closes"])
            self.fail("differs", "log.txt", line, name="closing instant", found=found, expected=expected)

    def leaf_list(self, index, line, hash_):
        if self.log.list or not self.log.close:
            self.fail("rule-4", "log.txt", line)
        self.log.list = self.log.list or (index, hash_)

    def leaf_seal(self, index, line, *values):
        if self.log.seal or not self.log.list:
            self.fail("rule-4", "log.txt", line)
        self.log.seal = self.log.seal or (index, *values)

    def leaf_result(self, index, line, attempt, hash_):
        log = self.log
        if not log.seal or attempt != len(log.results) or len(log.forfeits) != attempt:
            raise Fault("rule-6", "log.txt", line)
        log.results.append((index, hash_))

    def leaf_claim(self, index, line, attempt, hash_):
        log = self.log
        if attempt + 1 != len(log.results) or attempt < len(log.forfeits):
            raise Fault("rule-6-claim", "log.txt", line)
        log.claimed.add(attempt)

    def leaf_forfeit(self, index, line, attempt, hash_):
        log = self.log
        if attempt != len(log.forfeits) or len(log.results) != attempt + 1:
            raise Fault("rule-6", "log.txt", line)
        log.forfeits.append((index, hash_))

    def leaf_award(self, index, line, attempt, number):
        log = self.log
        if attempt not in log.claimed or attempt < len(log.forfeits):
            self.fail("rule-7", "log.txt", line)
        log.award = log.award or (index, attempt, number)

    def leaf_cancel(self, index, line, reason):
        log = self.log
        if log.results if reason == "shop" else not log.seal or len(log.results) > len(log.forfeits):
            self.fail("rule-8", "log.txt", line)
        log.cancel = log.cancel or (index, reason)

    # 4

    def check_checkpoints(self):
        terms, log = self.need_read(self.terms, "terms"), self.need_read(self.log, "log")
        register = "%s/%s" % (terms["host"], "rehearsals" if self.prefix else "draws")
        origin = "%s/%s" % (register, terms["contest"])
        self.kept = {origin: [], register: []}
        for path in self.kept_files:
            name = os.path.basename(path)
            for checkpoint in self.attempt(lambda: read_checkpoints(read_file(path, FILE_LIMIT), name, origin, register)) or ():
                self.kept[checkpoint.origin].append(checkpoint)
        named = [leaf[0] for leaf in [log.list, log.seal] + log.forfeits if leaf]
        own = self.check_tree(log, "checkpoints.txt", origin, named + self.registered_sizes())
        if own:
            self.checkpoints, self.sizes = own, [c.size for c in own]
            self.check_kept_times(self.kept[origin])

    def registered_sizes(self):
        """The sizes of the log whose roots the register gives: they are computed in one go with those of checkpoints."""
        if "register.txt" not in self.pack:
            return []
        leaf = re.escape("%slog-v1\t%s\t" % (self.open_tag, self.terms["contest"])).encode() + rb"([1-9][0-9]{0,15})\t"
        try:
            return [int(size) for size in re.findall(b"(?m)^" + leaf, self.pack.read("register.txt"))]
        except Fault:  # the step of the register reads it again and tells
            return []

    def check_tree(self, tree, file, origin, sizes=()):
        """Checks the checkpoints of a log or of the register, and those that were kept; answers those of the file in order."""
        own = missing = None
        try:
            own = self.attempt(lambda: read_checkpoints(self.read(file), file, origin))
        except Skipped as skip:
            missing = skip
        kept = self.kept[origin]
        tree.find_roots([c.size for c in (own or []) + kept] + list(sizes))
        name, identity, public = self.terms["log-key"]
        key = Ed25519Key(public)
        if not key.usable:
            raise Fault("log-key", "terms.txt", 2 + [n for n, _ in TERMS].index("log-key"))
        for checkpoint in own or []:
            self.check_signature(checkpoint, name, identity, key)
            self.check_root(checkpoint, tree)
        for checkpoint in kept:
            self.check_signature(checkpoint, name, identity, key)
            self.check_kept(checkpoint, own[-1] if own else None, tree)
        if missing:
            raise missing
        if not own or not self.check_order(own, file, tree.size):
            return None
        self.check_kept_order(own, kept)
        return own

    def check_order(self, own, file, size):
        before = None
        for checkpoint in own:
            if before and checkpoint.size < before.size:
                self.fail("size-falls", file, checkpoint.line + 1, before=before.size, found=checkpoint.size)
            if before and checkpoint.time < before.time:
                times = format_time(before.time), format_time(checkpoint.time)
                self.fail("time-falls", file, checkpoint.line + 3, before=times[0], found=times[1])
            before = checkpoint
        if before.size < size:
            self.fail("uncovered", file, before.line + 1, found=before.size, expected=size)
        return sorted(c.size for c in own) == [c.size for c in own]

    def check_signature(self, checkpoint, name, identity, key):
        own = [s for s in checkpoint.signatures if s[1] == name and s[2][:4] == identity]
        if len(own) != 1:
            self.fail("own-signatures", checkpoint.file, checkpoint.line + 5, found=len(own))
        for line, _, value in own:
            if len(value) != 68 or not key.verify(value[4:], checkpoint.signed):
                self.fail("signature", checkpoint.file, line)

    def check_root(self, checkpoint, tree):
        if checkpoint.size > tree.size:
            self.fail("beyond", checkpoint.file, checkpoint.line + 1, found=checkpoint.size, expected=tree.size)
        elif tree.roots[checkpoint.size] != checkpoint.root:
            self.fail("root", checkpoint.file, checkpoint.line + 2, size=checkpoint.size)

    def check_kept(self, kept, last, tree):
        """Compares the root of a kept checkpoint, unless it is newer than the last one of the file."""
        if last is None or kept.size <= tree.size or kept.time <= last.time:
            self.check_root(kept, tree)
        else:
            self.remark("kept-newer", found=format_time(kept.time), size=kept.size)

    def check_kept_order(self, own, kept):
        """Sizes and times of all checkpoints together never fall."""
        before = None
        for checkpoint in sorted(own + kept, key=lambda one: (one.time, one.size)):
            if before and checkpoint.size < before.size:
                odd = checkpoint if checkpoint in kept else before
                self.fail("kept-order", odd.file, odd.line)
                break
            before = checkpoint

    def check_kept_times(self, kept):
        """The file has the first checkpoint of each named leaf."""
        for one in kept:
            at = bisect_left(self.log.named, one.size) - 1  # the last of those that it contains has the latest time
            if at >= 0 and self.sizes[-1] > self.log.named[at] and one.time < self.time_of(self.log.named[at]):
                self.fail("kept-earlier", one.file, one.line, at=self.log.named[at] + 1)

    # 5

    def check_register(self):
        self.need("log", "checkpoints")
        terms, missing = self.terms, None
        try:
            self.policy = self.attempt(self.check_policy)
        except Skipped as skip:
            missing = skip
        self.policy = self.own_policy or self.policy
        data = self.read("register.txt")
        check_bytes(data, "register.txt")
        register = self.register = Register(data)
        self.check_registered(register)
        origin = "%s/%s" % (terms["host"], "rehearsals" if self.prefix else "draws")
        own = self.check_tree(register, "register-checkpoints.txt", origin)
        if missing:
            raise missing
        for checkpoint in own or () if self.policy else ():
            register.signed.append((checkpoint.size, self.check_cosignatures(checkpoint)))
        if self.policy and self.policy.asks() and not self.faults[self.step]:
            self.remark_unconfirmed()

    def check_policy(self):
        """The policy of the terms; None when they name none."""
        file, expected = "policy.txt", self.terms["witness-policy"]
        if expected is None:
            if file in self.pack:
                raise Fault("policy-extra", file)
            return None
        data = self.read(file)
        check_bytes(data, file)
        found = hashlib.sha256(data).hexdigest()
        if found != expected:
            where = "terms.txt:%d" % (2 + [name for name, _ in TERMS].index("witness-policy"))
            self.fail("hash", file, None, found=found, where=where, expected=expected)
        return Policy(data, file)

    def check_registered(self, register):
        """The three rules for leaves of the register."""
        file, log, expected = "register.txt", self.log, iter(self.log.repeated)
        is_open, size = False, 0
        for index, leaf in enumerate(register.lines):
            kind, slug, values = self.attempt(self.read_registered, leaf, index + 1) or (None, None, None)
            if slug != self.terms["contest"]:
                continue
            if (kind == "terms") == is_open or (kind == "terms" and values[0] != self.terms_hash):
                self.fail("register-1", file, index + 1)
            is_open = True
            if kind == "log":
                if not size <= values[0] <= log.size:
                    self.fail("register-2-size", file, index + 1, found=values[0], before=size)
                elif log.roots[values[0]].hex() != values[1]:
                    root = log.roots[values[0]].hex()
                    self.fail("register-2-root", file, index + 1, size=values[0], found=values[1], expected=root)
                size = max(size, values[0])
                register.sizes.append((values[0], index))
            elif kind in REPEATED:
                _, other = next(expected, (None, "-"))
                if leaf != other:
                    found, other = (one.replace("\t", " ") for one in (leaf, other))
                    self.fail("register-3", file, index + 1, found=found, expected=other)
        if not is_open:
            self.fail("register-1", file)
        for _, other in expected:
            self.fail("register-3", file, register.size, found="-", expected=other.replace("\t", " "))
        due = log.named + [void[0] for void in log.voids.values() if log.seal]
        missing = min((index for index in due if index >= size), default=None)
        if missing is not None:
            self.fail("register-2-last", "log.txt", missing + 1, size=size)

    def read_registered(self, leaf, line):
        """(kind, slug, values) of a leaf of the register."""
        file, fields = "register.txt", leaf.split("\t")
        kind = fields[0][len(self.open_tag) : -3]
        is_verifier = kind == "verifier" and not self.prefix
        if fields[0] != self.open_tag + kind + "-v1" or not (is_verifier or kind in REGISTER_LEAVES):
            raise Fault("leaf-unknown", file, line, found=fields[0])
        if is_verifier:
            read_fields([fields[0], ""] + fields[1:], VERIFIER_LEAF, file, line)
            return kind, None, None
        values = read_fields(fields, REGISTER_LEAVES[kind], file, line)
        slug = read_value(fields[1], "contest", SLUG, file, line)
        if self.prefix and slug != self.terms["contest"]:
            raise Fault("differs", file, line, name="contest", found=slug, expected=self.terms["contest"])
        return kind, slug, values

    def check_cosignatures(self, checkpoint):
        """When each witness signed a checkpoint, by a clock that is not slow."""
        signed = {}
        for line, name, value in checkpoint.signatures:
            for known, witness in self.policy.witnesses.items():
                if name == witness.name and value[:4] == witness.identity:
                    time = witness.time_signed(checkpoint, value)
                    if time is None:
                        self.fail("cosignature", checkpoint.file, line, witness=name)
                    elif time >= checkpoint.time - 60:
                        signed[known] = min(time, signed.get(known, NEVER))
        return signed

    def asks_witnesses(self):
        """Whether a policy asks for somebody, as far as can be read."""
        return self.policy.asks() if self.policy else bool(self.terms["witness-policy"])

    def place_of(self, index):
        """The index of the first leaf of the register that covers a leaf of the log."""
        return next((place for size, place in self.register.sizes if size > index), NEVER)

    def confirmed(self, index):
        """A(leaf of the log); endless when there is none."""
        place = self.place_of(index)
        return min((self.policy.confirmed(times) for size, times in self.register.signed if size > place), default=NEVER)

    def is_unconfirmed(self, index, until):
        """Whether a policy asks for somebody, and nobody says that a leaf of the log was there at a time."""
        return self.states["register"] == "passed" and self.asks_witnesses() and self.confirmed(index) > until

    def remark_unconfirmed(self):
        terms, seal = self.terms, self.log.seal
        opened, confirmed = self.time_of(0), self.confirmed(0)
        if confirmed >= terms["closes"]:
            self.remark("terms-unconfirmed", expected=format_time(terms["closes"]))
        if opened + 3600 < confirmed < NEVER:
            self.remark("terms-late", found=format_time(confirmed), expected=format_time(opened))
        if seal and self.confirmed(seal[0]) >= terms["draw"]:
            self.remark("seal-unconfirmed", expected=format_time(terms["draw"]))

    def witnesses_voucher(self):
        """Whether witnesses vouch for the times: (code, details), and why none does."""
        if self.states.get("register") != "passed":
            return "voucher-shop", {}, None
        if not self.asks_witnesses():
            return "voucher-shop", {}, "no-policy"
        index, before, code = 0, self.terms["closes"], "voucher-terms"
        opened, sealed = self.confirmed(0), None
        is_late = opened >= before
        if self.log.seal:
            index, before, code = self.log.seal[0], self.terms["draw"], "voucher-seal"
            sealed = self.confirmed(index)
            is_late = is_late or sealed >= before
        if is_late:
            return "voucher-shop", {}, "unconfirmed"
        place = self.place_of(index)
        signed = {
            name for size, times in self.register.signed if size > place for name, time in times.items() if time < before
        }
        times = {"opened": format_time(opened), "sealed": sealed and format_time(sealed)}
        return code, dict(times, count=len(signed), of=len(self.policy.witnesses)), None

    # 6

    def check_stamps(self):
        self.need("log")
        terms, seal, pack = self.terms, self.log.seal, self.pack
        if terms["stamp-authority"] is None:
            for name in STAMPS:
                if name in pack:
                    self.fail("stamp-extra", name)
            raise Skipped("no-authority")
        is_given = "terms.tsr" in pack or "seal.tsr" in pack
        openssl = Openssl() if is_given else None
        try:
            authority = self.read_authority()
            if not seal and "seal.tsr" in pack:
                raise Fault("file-early", "seal.tsr")
            for name, hash_ in (("terms.tsr", self.terms_hash), ("seal.tsr", seal and seal[1])):
                if name in pack:
                    self.stamped[name] = self.check_stamp(openssl, name, hash_, authority)
        except Skipped:
            self.stamped.clear()
            raise
        except Fault as fault:
            self.fail(fault.code, fault.file, fault.line, **fault.details)
        for name, code, until in (("terms.tsr", "terms-unstamped", "closes"), ("seal.tsr", "seal-unstamped", "draw")):
            is_due = (seal or name == "terms.tsr") and (pack.complete or name in pack)
            if is_due and self.stamped.get(name, NEVER) >= terms[until]:
                self.remark(code, expected=format_time(terms[until]))
        if not is_given:
            raise Skipped("nothing-yet")

    def read_small(self, file):
        """A file of at most so many bytes as a stamp."""
        if file not in self.pack and not self.pack.complete:
            raise Skipped("not-given", name=file)
        data = self.pack.read(file, STAMP_LIMIT + 1)
        if len(data) > STAMP_LIMIT:
            raise Fault("file-large", file, limit=STAMP_LIMIT)
        return data

    def read_authority(self):
        file, expected = "authority.pem", self.terms["stamp-authority"]
        data = self.read_small(file)
        found = hashlib.sha256(data).hexdigest()
        if found != expected:
            where = "terms.txt:%d" % (2 + [name for name, _ in TERMS].index("stamp-authority"))
            raise Fault("hash", file, None, found=found, where=where, expected=expected)
        read_certificates(data, file)
        return data

    def check_stamp(self, openssl, file, hash_, authority):
        """The time of a stamp that is right."""
        data = self.read_small(file)
        try:
            stamp = Stamp(data)
        except (ValueError, IndexError):
            raise Fault("stamp-form", file) from None
        if stamp.algorithm != SHA256 or stamp.hash.hex() != hash_:
            raise Fault("stamp-other", file, None, found=stamp.hash.hex(), expected=hash_)
        try:
            why = stamp.foreign(read_certificates(authority, "authority.pem"))
        except (ValueError, IndexError):
            why = "DER"
        if not why and not openssl.accepts(data, hash_, authority, stamp.time):
            why = "openssl ts -verify"
        if why:
            raise Fault("stamp-foreign", file, None, why=why)
        return stamp.time

    def is_stamped(self):
        """Whether the authority says that terms and sealed list were there in time."""
        terms, times = self.terms, self.stamped
        if self.states.get("stamps") != "passed" or times.get("terms.tsr", NEVER) >= terms["closes"]:
            return False
        return not self.log.seal or times.get("seal.tsr", NEVER) < terms["draw"]

    def stamps(self):
        return {"opened": format_time(self.stamped["terms.tsr"]), "sealed": self.log.seal and format_time(self.stamped["seal.tsr"])}

    def has_voucher(self):
        return self.states.get("register") == "passed" and self.states.get("stamps") != "failed"

    def voucher(self):
        """Who vouches for the times: (code, details), and why no witness does."""
        code, details, why = self.witnesses_voucher()
        if not self.has_voucher() or not self.is_stamped():
            return code, details, why
        if code == "voucher-shop":
            return "stamps-seal" if self.log.seal else "stamps-terms", self.stamps(), why
        return code, dict(details, stamps=self.stamps()), why

    # 7

    def check_list(self):
        self.need("log")
        log = self.log
        found = [name for name in ("provisional.txt", "list.txt") if name in self.pack]
        if not log.list and not log.seal and not found:
            raise Skipped("nothing-yet")
        missing = []
        for name, leaf in (("provisional.txt", log.list), ("list.txt", log.seal)):
            if leaf:
                try:
                    rows = self.attempt(self.check_one_list, name, leaf)
                except Skipped as skip:
                    missing.append(skip)
                    continue
                if name == "list.txt":
                    self.draw_rows = rows
            elif name in self.pack:
                self.fail("file-early", name)
        if log.list and log.seal:
            between = sum(1 for index in log.entries.values() if log.list[0] < index < log.seal[0])
            if between:
                self.remark("entries-after-list", found=between)
        if self.kept_list and self.kept_list != self.list_hash:
            self.fail("hash", "list.txt", None, found=self.list_hash or "none", where="--list-hash", expected=self.kept_list)
        if missing:
            raise missing[0]

    def check_one_list(self, file, leaf):
        """Compares a list with the leaves before its own; answers its valid rows as (number, where the row begins)."""
        log, terms, size = self.log, self.terms, leaf[0]
        data = self.read(file)
        check_bytes(data, file)
        hash_ = hashlib.sha256(data).hexdigest()
        if hash_ != leaf[1]:
            self.fail("hash", file, None, found=hash_, where="log.txt:%d" % (size + 1), expected=leaf[1])
        lines = data[:65536].decode().split("\n")
        values = read_header(lines, file, self.prefix + "volant-list-v1", LIST)
        head = len(LIST) + 1
        if head >= len(lines) - 1 or lines[head]:
            raise Fault("form", file, head + 1, form="\\n")
        counts = {"paid": 0, "postal": 0, "demo": 0, "valid": 0}
        row_match = re.compile(rb"([1-9][0-9]{0,7})\t(paid|postal|demo)\t[0-9a-f]{64}\t(valid|void:[a-z-]+)\n").fullmatch
        position = sum(len(line) + 1 for line in lines[: head + 1])
        stream = io.BytesIO(data)
        stream.seek(position)
        valid, wrong, before = (array("Q"), array("Q")), False, 0
        expected_rows = self.expected_rows(size, counts)
        for line, row in enumerate(stream, head + 2):
            expected = next(expected_rows, b"")
            if row != expected:
                if not wrong:
                    wrong = True
                    self.fail("row", file, line, found=spaced(row), expected=spaced(expected))
                match = row_match(row)
                if not match or int(match[1]) <= before:
                    raise Fault("form", file, line, form="NUMBER KIND COMMITMENT STATUS")
                before, is_valid = int(match[1]), match[3] == b"valid"
            else:
                before, is_valid = self.row_number, row.endswith(b"\tvalid\n")
            if is_valid:
                valid[0].append(before)
                valid[1].append(position)
            position += len(row)
        for expected in expected_rows:
            if not wrong:
                wrong = True
                self.fail("row", file, line_at(data, len(data)), found="-", expected=spaced(expected))
        root = log.roots.get(size) or roots_at(log.leaves(size), [size])[size]
        expected = {
            "contest": terms["contest"], "terms": self.terms_hash, "log-size": size, "log-root": root.hex(),
            "chain": terms["beacon-chain"], "round": terms["beacon-round"],
        }  # fmt: skip
        self.expect(file, values, dict(expected, **counts), LIST)
        if file == "provisional.txt":
            return None
        stream.seek(sum(len(line) + 1 for line in lines[: head + 1]))
        rows = data.count(b"\n") - head - 1
        list_root = roots_at((row[:-1] for row in stream), [rows])[rows].hex()
        if list_root != leaf[2]:
            self.fail("list-root", file, None, found=list_root, expected=leaf[2])
        count = len(valid[0])
        if count != leaf[3]:
            self.fail("valid", file, None, found=count, expected=leaf[3])
        valid_root = list_root
        if count < rows:
            valid_root = roots_at((data[at : data.index(b"\n", at)] for at in valid[1]), [count])[count].hex()
        if valid_root != leaf[4]:
            self.fail("valid-root", file, None, found=valid_root, expected=leaf[4])
        self.list_hash, self.list_data = hash_, data
        return valid

    def expected_rows(self, size, counts):
        log, row_of, voids = self.log, self.row_of, self.log.voids
        for number in sorted(log.entries):
            index = log.entries[number]
            if index < size:
                row = row_of(index)
                counts[row.split(b"\t", 2)[1].decode()] += 1
                void = voids.get(number)
                self.row_number = number
                if void and void[0] < size:
                    yield row + b"\tvoid:" + void[1].encode() + b"\n"
                else:
                    counts["valid"] += 1
                    yield row + b"\tvalid\n"

    # 8

    def check_seal(self):
        self.need("log", "checkpoints")
        terms, log = self.terms, self.log
        opened, closes = self.time_of(0), format_time(terms["closes"])
        if opened >= terms["closes"]:
            self.fail("opened-late", "log.txt", 1, found=format_time(opened), expected=closes)
        if log.close:
            closed = self.time_of(log.close[0])
            if closed < terms["closes"]:
                self.fail("closed-early", "log.txt", log.close[0] + 1, found=format_time(closed), expected=closes)
            if closed > terms["closes"] + 60:
                self.remark("close-late", found=format_time(closed), expected=closes)
        if not log.seal:
            if not self.faults[self.step]:
                raise Skipped("nothing-yet")
            return
        sealed, latest = self.time_of(log.seal[0]), terms["draw"] - terms["seal-margin"]
        if sealed >= terms["draw"]:
            self.fail(
                "sealed-late", "log.txt", log.seal[0] + 1, found=format_time(sealed), expected=format_time(terms["draw"])
            )
        elif sealed > latest:
            self.remark("seal-late", found=format_time(sealed), expected=format_time(latest))
        until = self.time_of(log.list[0]) + terms["objections"]
        if sealed < until:
            self.remark("objections-short", found=format_time(sealed), expected=format_time(until))

    # 9

    def round_of(self, attempt):
        """The round that decides an attempt, or None when the forfeiture before it is not the one that its leaf names."""
        if attempt == 0:
            return self.terms["beacon-round"]
        forfeiture = self.read_forfeiture(attempt - 1)
        return forfeiture["round"] if forfeiture and forfeiture["hash"] == self.log.forfeits[attempt - 1][1] else None

    def read_forfeiture(self, attempt):
        if attempt not in self.forfeitures:
            file = "forfeiture-%d.txt" % attempt
            self.forfeitures[attempt] = None
            try:
                data = self.read(file)
                check_bytes(data, file)
                lines = data.decode().split("\n")[:-1]
                values = read_header(lines, file, self.prefix + "volant-forfeiture-v1", FORFEITURE)
                if len(lines) > len(FORFEITURE) + 1:
                    raise Fault("extra-lines", file, len(FORFEITURE) + 2)
                values["hash"] = hashlib.sha256(data).hexdigest()
                self.forfeitures[attempt] = values
            except (Fault, Skipped):
                pass  # the step of forfeitures reads it again and tells
        return self.forfeitures[attempt]

    def files_without_leaf(self, expression, count):
        for name in sorted(self.pack.sources):
            match = re.fullmatch(expression, name)
            if match and int(match[1]) >= count:
                self.fail("file-early", name)

    def check_beacon(self):
        self.need("log")
        log = self.log
        self.files_without_leaf(r"beacon-([0-9]+)\.json", len(log.results))
        if not log.results:
            raise Skipped("nothing-yet")
        key = g_decode(bytes.fromhex(self.terms["beacon-key"]))
        if key is None:
            raise Fault("beacon-key", "terms.txt", 2 + [name for name, _ in TERMS].index("beacon-key"))
        missing, unknown = [], []
        for attempt in range(len(log.results)):
            file, round_ = "beacon-%d.json" % attempt, self.round_of(attempt)
            try:
                data = self.read(file)
                check_bytes(data, file)
            except Skipped as skip:
                missing.append(skip)
                continue
            except Fault as fault:
                self.fail(fault.code, fault.file, fault.line, **fault.details)
                continue
            match = re.fullmatch(
                r'\{"round":([1-9][0-9]{0,15}),"randomness":"([0-9a-f]{64})","signature":"([0-9a-f]{96})"\}\n', data.decode()
            )
            if not match:
                self.fail("form", file, 1, form='{"round":R,"randomness":"...","signature":"..."}')
                continue
            signature = bytes.fromhex(match[3])
            self.signatures[attempt] = signature
            randomness = hashlib.sha256(signature).hexdigest()
            if randomness != match[2]:
                self.fail("differs", file, 1, name="randomness", found=match[2], expected=randomness)
            if round_ is None:
                unknown.append(Skipped("needs", needed="forfeitures"))
                continue
            if int(match[1]) != round_:
                self.fail("differs", file, 1, name="round", found=match[1], expected=round_)
            if not beacon_verify(key, round_, signature):
                self.fail("beacon-signature", file, 1, round=round_)
        if unknown and not missing:
            self.partly.add("beacon")
        if missing or unknown:
            raise (missing + unknown)[0]

    # 10

    def check_winner(self):
        self.need("log")
        log = self.log
        self.files_without_leaf(r"result-([0-9]+)\.txt", len(log.results))
        if not log.results:
            raise Skipped("nothing-yet")
        self.need("list")
        self.need("beacon", partly=True)
        missing, known = [], 0
        for attempt, (index, hash_) in enumerate(log.results):
            if self.round_of(attempt) is None:
                break
            known += 1
            try:
                self.attempt(self.check_result, attempt, index, hash_)
            except Skipped as skip:
                missing.append(skip)
            if not self.faults[self.step] and not missing:
                self.sound = known
        if missing:
            raise missing[0]
        self.need("checkpoints")
        if known < len(log.results):
            self.partly.add("winner")
            raise Skipped("needs", needed="forfeitures")

    def check_result(self, attempt, index, hash_):
        file = "result-%d.txt" % attempt
        data = self.read(file)
        check_bytes(data, file)
        found = hashlib.sha256(data).hexdigest()
        if found != hash_:
            self.fail("hash", file, None, found=found, where="log.txt:%d" % (index + 1), expected=hash_)
        lines = data.decode().split("\n")[:-1]
        values = read_header(lines, file, self.prefix + "volant-result-v1", RESULT)
        if len(lines) > len(RESULT) + 1:
            self.fail("extra-lines", file, len(RESULT) + 2)
        round_, signature = self.round_of(attempt), self.signatures[attempt]
        if attempt and attempt - 1 not in self.winners:
            raise Skipped("needs", needed="winner")
        drawn = self.draw(attempt, signature)
        if drawn is None:
            raise Fault("no-rows", file)
        remaining, tries, value, chosen, (number, kind, commitment, _) = drawn
        self.winners[attempt] = int(number)
        expected = {
            "contest": self.terms["contest"], "attempt": attempt, "list": self.list_hash,
            "chain": self.terms["beacon-chain"], "round": round_, "signature": signature.hex(),
            "randomness": hashlib.sha256(signature).hexdigest(), "remaining": remaining, "tries": tries, "value": value.hex(),
            "index": chosen, "number": int(number), "kind": kind, "commitment": commitment,
        }  # fmt: skip
        self.expect(file, values, expected, RESULT)
        if self.states["checkpoints"] != "passed":
            return
        logged, out = self.time_of(index), time_at(self.terms, round_)
        times = {"attempt": attempt, "found": format_time(logged), "expected": format_time(out)}
        if logged < out:
            self.fail("result-early", "log.txt", index + 1, **times)
        if logged > out + 3600:
            self.remark("result-late", **times)

    def draw(self, attempt, signature):
        """(rows that remain, tries, value, index, fields of the row) of an attempt; None when no row remains."""
        numbers, rows = self.draw_rows
        taken = {self.winners[before] for before in range(attempt)}
        remaining = [at for at, number in enumerate(numbers) if number not in taken] if taken else range(len(numbers))
        if not remaining:
            return None
        randomness = hashlib.sha256(signature).digest()
        tries, value, chosen = draw(attempt, randomness, bytes.fromhex(self.list_hash), len(remaining))
        start = rows[remaining[chosen]]
        row = self.list_data[start : self.list_data.index(b"\n", start)].decode().split("\t")
        return len(remaining), tries, value, chosen, row

    # 11

    def check_forfeitures(self):
        self.need("log")
        log = self.log
        self.files_without_leaf(r"forfeiture-([0-9]+)\.txt", len(log.forfeits))
        self.files_without_leaf(r"statement-([0-9]+)\.txt", len(log.forfeits))
        if not log.forfeits:
            raise Skipped("nothing-yet")
        if not self.sound:
            self.need("winner", partly=True)
        self.need("checkpoints")
        decided, missing = 0, []
        for attempt, (index, hash_) in enumerate(log.forfeits):
            if attempt >= self.sound:
                missing.append(Skipped("needs", needed="winner"))
                break
            try:
                if self.attempt(self.check_forfeiture, attempt, index, hash_):
                    decided += 1
                    if decided == self.terms["alternates-decided"] + 1:
                        limit = self.terms["alternates-decided"]
                        self.fail("too-many-decided", "forfeiture-%d.txt" % attempt, 5, limit=limit)
            except Skipped as skip:
                missing.append(skip)
        if missing:
            raise missing[0]

    def check_forfeiture(self, attempt, index, hash_):
        """Checks one forfeiture; answers whether the shop decided it."""
        log, terms, file = self.log, self.terms, "forfeiture-%d.txt" % attempt
        values = self.read_forfeiture(attempt)
        if values is None:
            data = self.read(file)
            check_bytes(data, file)
            lines = data.decode().split("\n")[:-1]
            read_header(lines, file, self.prefix + "volant-forfeiture-v1", FORFEITURE)
            raise Fault("extra-lines", file, len(FORFEITURE) + 2)
        if values["hash"] != hash_:
            self.fail("hash", file, None, found=values["hash"], where="log.txt:%d" % (index + 1), expected=hash_)
        published, reason, number = values["published"], values["reason"], values["number"]
        root = log.roots.get(index) or roots_at(log.leaves(index), [index])[index]
        expected = {
            "contest": terms["contest"], "attempt": attempt, "number": self.winners[attempt], "log-size": index,
            "log-root": root.hex(), "chain": terms["beacon-chain"],
        }  # fmt: skip
        after = published + terms["alternate-delay"]
        if after >= terms["beacon-genesis"]:
            expected["round"] = round_at(terms, after)
        self.expect(file, values, expected, FORFEITURE)
        self.check_statement(attempt, values["statement"])
        if reason not in terms["forfeit-reasons"]:
            self.fail("forfeit-reason", file, 5, reason=reason)
        void = log.voids.get(number)
        if reason == "voided" and not (void and log.seal[0] < void[0] < index):
            self.fail("not-voided", file, 4, number=number)
            void = None
        logged, round_time = self.time_of(index), time_at(terms, values["round"])
        if logged < published:
            self.fail("forfeit-future", file, 9, found=format_time(published), expected=format_time(logged))
        if logged >= round_time:
            self.fail("forfeit-round", file, 11, found=format_time(logged), expected=format_time(round_time))
        if logged > published + 60:
            self.remark("forfeit-late", attempt=attempt, found=format_time(logged), expected=format_time(published))
        if self.is_unconfirmed(index, round_time - 1):
            self.remark("forfeit-unconfirmed", attempt=attempt, expected=format_time(round_time))
        if reason == "unclaimed":
            claimed = attempt in log.claimed
            until = self.time_of(log.results[attempt][0]) + terms["claim"] * (2 if claimed else 1)
            if published < until:
                self.fail("unclaimed-early", file, 9, expected=format_time(until))
            if claimed:
                self.remark("claimed", attempt=attempt)
            return claimed
        if reason == "voided" and void:
            if self.asks_witnesses():
                self.need("register")
            voided = self.confirmed(void[0]) if self.asks_witnesses() else self.time_of(void[0])
            late = voided > time_at(terms, self.round_of(attempt)) - terms["notice"]
            return late or void[0] > log.results[attempt][0] or void[1] in DECIDED_REASONS
        return reason in DECIDED_REASONS

    def check_statement(self, attempt, hash_):
        file = "statement-%d.txt" % attempt
        if hash_ is None:
            if file in self.pack:
                self.fail("statement-extra", file)
            return
        found = hashlib.sha256(self.read(file)).hexdigest()
        if found != hash_:
            self.fail("hash", file, None, found=found, where="forfeiture-%d.txt:6" % attempt, expected=hash_)

    # 12

    def check_end(self):
        self.need("log")
        log = self.log
        if not log.award and not log.cancel:
            self.remark_overdue(log)
            raise Skipped("nothing-yet")
        if log.award:
            self.need("winner")
            index, attempt, number = log.award
            winner = self.winners[attempt]
            if number != winner:
                self.fail("differs", "log.txt", index + 1, name="number", found=number, expected=winner)
        if log.cancel:
            self.need("checkpoints")
            self.check_cancel(self.terms, log, *log.cancel)

    def remark_overdue(self, log):
        """A shop that dislikes a winner could simply publish nothing."""
        round_ = self.round_of(len(log.results)) if log.seal and len(log.results) == len(log.forfeits) else None
        if round_ is not None and self.states["checkpoints"] == "passed":
            out, now = time_at(self.terms, round_), self.checkpoints[-1].time
            if now > out + 3600:
                self.awaited = round_
                self.remark("result-overdue", round=round_, found=format_time(now), expected=format_time(out))

    def check_cancel(self, terms, log, index, reason):
        cancelled, line = self.time_of(index), index + 1
        found = format_time(cancelled)
        latest = time_at(terms, terms["beacon-round"]) - terms["notice"]
        if reason == "shop" and log.seal:
            if cancelled > latest:
                self.fail("cancel-known", "log.txt", line, found=found, expected=format_time(latest))
            else:
                self.remark("cancelled-after-seal", found=found, expected=format_time(latest))
        elif reason == "shop":
            if cancelled > terms["draw"]:
                self.remark("cancel-late", found=found)
        elif reason == "no-entries":
            sealed = log.seal[0]
            voided = sum(1 for at, _ in log.voids.values() if at < sealed)
            left = sum(1 for at in log.entries.values() if at < sealed) - voided - len(log.results)
            if left:
                self.fail("cancel-rows", "log.txt", line, found=left)
        else:
            round_ = self.round_of(len(log.results))
            if round_ is None:
                raise Skipped("needs", needed="forfeitures")
            until = time_at(terms, round_) + terms["beacon-patience"]
            if cancelled < until:
                self.fail("cancel-impatient", "log.txt", line, found=found, expected=format_time(until))
            self.awaited, self.is_silent = round_, True
            self.remark("silence-claimed", round=round_)
        if reason == "shop" and self.is_unconfirmed(index, latest):
            self.remark("cancelled-unconfirmed", expected=format_time(latest))

    # The holder's own entry

    def check_ticket(self):
        form = "https://HOST/draws/SLUG#NUMBER.SALT.ID.TERMS"
        match = re.fullmatch(
            r"https?://([^/#]+)/([^#]*)#([1-9][0-9]{0,7})\.([A-Za-z0-9_-]{43})\."
            r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})",
            self.ticket,
        )
        codes = [match[at] + "=" for at in (4, 6)] if match else []
        salt, terms_hash = [base64.urlsafe_b64decode(code) for code in codes] or (None, None)
        if not match or [base64.urlsafe_b64encode(data).decode() for data in (salt, terms_hash)] != codes:
            raise Fault("link-form", form=form)
        terms, log = self.need_read(self.terms, "terms"), self.need_read(self.log, "log")
        page = "%s/draws/%s" % (terms["host"], terms["contest"])
        # A query, such as that of the language, names no other page.
        path = re.sub("^(fr|nl|en)/", "", match[2].split("?")[0])
        if "%s/%s" % (match[1], path) != page:
            raise Fault("link-other", found="%s/%s" % (match[1], match[2]), expected=page)
        if terms_hash.hex() != self.terms_hash:
            raise Fault("link-terms", "terms.txt", found=terms_hash.hex(), expected=self.terms_hash)
        number = int(match[3])
        commitment = hashlib.sha256(b"volant-commitment-v1" + salt + match[5].encode()).hexdigest()
        answer = self.answer
        answer.update(number=number, commitment=commitment)
        index = log.entries.get(number)
        if index is None:
            raise Fault("ticket-absent", number=number)
        if self.row_of(index).rsplit(b"\t", 1)[1].decode() != commitment:
            raise Fault("ticket-other", "log.txt", index + 1, number=number)
        answer["line"] = index + 1
        if self.states["checkpoints"] == "passed":
            answer["since"] = format_time(self.time_of(index))
        void = log.voids.get(number)
        if void:
            answer["void"] = void[1]
        if self.draw_rows:
            start = re.search(rb"(?m)^%d\t" % number, self.list_data)
            if not start:
                raise Fault("ticket-unlisted", "list.txt", number=number)
            row = self.list_data[start.start() : self.list_data.index(b"\n", start.start())].decode().split("\t")
            if row[2] != commitment:
                raise Fault("ticket-other", "list.txt", number=number)
            answer["list"] = row[3]
        won = [attempt for attempt, winner in self.winners.items() if winner == number]
        if won:
            answer["won"] = won[0]
            answer["forfeited"] = won[0] < len(log.forfeits)
        elif log.results and len(self.winners) == len(log.results):
            answer["won"] = None

    # The beacon itself

    def ask_beacon(self, relays):
        """Asks relays for the rounds of all attempts, and for one that is waited for: one valid signature is enough."""
        if self.states.get("log") != "passed":
            return
        rounds = [self.round_of(attempt) for attempt in self.signatures]
        key = g_decode(bytes.fromhex(self.terms["beacon-key"]))
        for round_ in rounds + [self.awaited]:
            codes, signature = [], None
            for relay in relays if round_ and key else ():
                code, details, signature = ask_relay(relay, self.terms["beacon-chain"], round_, key)
                self.asked.append((code, dict(details, relay=relay, round=round_)))
                codes.append(code)
                if signature:
                    break
            if round_ == self.awaited and codes:
                self.weigh(codes, signature)

    def weigh(self, codes, signature):
        """What the answers mean for a round that the shop did not use."""
        round_, attempt = self.awaited, len(self.log.results)
        if not signature:
            self.asked.append(("beacon-has-not" if "relay-missing" in codes else "beacon-unknown", {"round": round_}))
            return
        if self.is_silent:
            until = format_time(time_at(self.terms, round_) + self.terms["beacon-patience"])
            self.asked.append(("beacon-has", {"round": round_, "expected": until}))
        known = self.states["list"] == "passed" and len(self.winners) == attempt
        drawn = self.draw(attempt, signature) if known else None
        if drawn:
            self.asked.append(("beacon-would", {"number": int(drawn[4][0])}))

    def about_beacon(self):
        """(code, details) of what relays answered, or of how to ask them when a round is missing."""
        if not self.awaited or any(code.startswith("beacon-") for code, _ in self.asked):
            return self.asked
        chain = self.terms["beacon-chain"]
        if chain != QUICKNET["beacon-chain"]:
            return self.asked + [("no-relay", {"chain": chain, "round": self.awaited})]
        return self.asked + [("how-to-ask", {"address": round_address(RELAYS[0], chain, self.awaited)})]

    # Answers

    def verdict(self):
        states = self.states
        open_ = [step for step, state in states.items() if state == "skipped" and step != "stamps"]
        if "failed" in states.values():
            return "failed"
        if all(self.skips[step].code == "nothing-yet" for step in open_):
            if self.log.cancel:
                return "cancelled"
            if not set(open_) - {"forfeitures", "end"}:
                return "passed"
        return "incomplete"

    def is_contradicted(self):
        """Whether a relay has the round whose silence ended a draw."""
        return self.verdict() == "cancelled" and any(code == "beacon-has" for code, _ in self.asked)

    def exit_code(self):
        return VERDICTS["incomplete" if self.is_contradicted() else self.verdict()]

    def as_json(self, language):
        answer = {
            "protocol": "draw-v1",
            "contest": self.terms and self.terms["contest"],
            "rehearsal": bool(self.prefix),
            "demonstration": ("demonstration", {}) in self.remarks,
            "verdict": self.verdict(),
            "voucher": self.voucher_as_json(),
            "termsHash": self.terms_hash,
            "listHash": self.list_hash,
            "steps": [],
            "remarks": [{"code": code, "text": sentence(language, code, details)} for code, details in self.remarks],
            "winners": [{"attempt": attempt, "number": number} for attempt, number in sorted(self.winners.items())],
        }
        for step, state in self.states.items():
            told = {"step": step, "state": state}
            if self.faults[step]:
                told["faults"] = [fault.as_json(language) for fault in self.faults[step]]
            elif step in self.skips:
                skip = self.skips[step]
                told["why"] = {"code": skip.code, "text": sentence(language, skip.code, skip.details)}
            answer["steps"].append(told)
        answer["beacon"] = [
            dict(details, code=code, text=sentence(language, code, details)) for code, details in self.about_beacon()
        ]
        if self.ticket:
            answer["ticket"] = self.answer
        return answer

    def voucher_as_json(self):
        if not self.has_voucher():
            return None
        code, details, why = self.voucher()
        if code == "voucher-shop":
            return {"by": "shop", "why": why}
        if code.startswith("stamps-"):
            return dict(details, by="stamps")
        return {"by": "witnesses", "stamps": None, **details}

    def print(self, language):
        def say(code, **details):
            return sentence(language, code, details)

        first = ("rehearsal", "demonstration")
        told = [say(code) for code, _ in self.remarks if code in first]
        if told:
            print(" ".join(told))
        if self.terms:
            print(say("title", contest="%s/%s" % (self.terms["host"], self.terms["contest"])))
            chain = self.terms["beacon-chain"]
            print(say("chain" if chain == QUICKNET["beacon-chain"] else "chain-own", chain=chain))
        for code, details in self.remarks:
            if code not in first:
                print("! " + say(code, **details))
        if self.log:
            valid = len(self.draw_rows[0]) if self.draw_rows else "-"
            print(say("count", entries=len(self.log.entries), voids=len(self.log.voids), valid=valid))
        print()
        for step, state in self.states.items():
            print("%-12s %s" % (step, say(state)))
            for fault in self.faults[step]:
                print("             " + fault.text(language))
            if step in self.skips:
                print("             " + say(self.skips[step].code, **self.skips[step].details))
        print()
        for attempt, number in sorted(self.winners.items()):
            print(say("drawn", attempt=attempt, number=number))
        for code, details in self.about_beacon():
            print(say(code, **details))
        self.print_ticket(say)
        verdict, (code, details, why) = self.verdict(), self.voucher()
        if why and verdict != "failed":
            print(say(why))
        if self.has_voucher() and self.is_stamped():
            stamps = self.stamps()
            print(say("stamped", opened=stamps["opened"], sealed=stamps["sealed"] or "-"))
        if self.policy and self.policy.witnesses and not self.own_policy:
            print(say("witnesses", names=", ".join(one.name for one in self.policy.witnesses.values())))
        if self.terms_hash:
            print(say("own-word", terms=self.terms_hash, list=self.list_hash or "-"))
        failed = next((step for step, state in self.states.items() if state == "failed"), "")
        reason = self.log.cancel[1] if self.log and self.log.cancel else ""
        voucher = say(code, **details).replace("\u00a0", " ")  # a part of a sentence, which sets its spaces again
        if details.get("stamps"):
            voucher = say("voucher-too", voucher=voucher).replace("\u00a0", " ")
        told = {"step": failed, "reason": reason, "voucher": voucher}
        if self.is_contradicted():
            verdict = "contradicted"
        elif verdict == "cancelled" and any(code == "cancelled-unconfirmed" for code, _ in self.remarks):
            verdict = "cancelled-unconfirmed"
        print(say("verdict-" + verdict, **told))

    def print_ticket(self, say):
        answer = self.answer
        if "line" not in answer:
            return
        print(say("ticket-in-log" if "since" in answer else "ticket-unsigned", **answer))
        if "list" in answer:
            print(say("ticket-in-list", status=answer["list"]))
        if "void" in answer:
            print(say("ticket-void", void=answer["void"]))
        if "won" not in answer:
            if self.log.results or self.states["log"] != "passed":
                print(say("ticket-unknown"))
            else:
                print(say("ticket-cancelled" if self.log.cancel else "ticket-waiting"))
        elif answer["won"] is None:
            print(say("ticket-lost"))
        else:
            print(say("ticket-forfeited" if answer["forfeited"] else "ticket-won", attempt=answer["won"]))


def round_at(beacon, time):
    """The first round not before a time."""
    return 1 - (beacon["beacon-genesis"] - time) // beacon["beacon-period"]


def time_at(beacon, round_):
    return beacon["beacon-genesis"] + (round_ - 1) * beacon["beacon-period"]


def round_address(relay, chain, round_):
    return "%s/%s/public/%d" % (relay.rstrip("/"), chain, round_)


def ask_relay(relay, chain, round_, key):
    """(code, details, signature) of what a relay answers for a round; the signature is None unless it is valid."""
    until = time.monotonic() + 20
    try:
        request = urllib.request.Request(round_address(relay, chain, round_), headers={"User-Agent": "verify-draw.py"})
        with urllib.request.urlopen(request, timeout=10) as response:
            data = b""
            while len(data) < 65536 and time.monotonic() < until:
                part = response.read1(65536)
                if not part:
                    break
                data += part
    except urllib.error.HTTPError as error:
        return "relay-missing" if error.code in (404, 425) else "relay-refused", {"status": error.code}, None
    except (OSError, ValueError, http.client.HTTPException) as error:
        return "relay-unreachable", {"why": str(getattr(error, "reason", None) or error or type(error).__name__)}, None
    try:
        signature = json.loads(data)["signature"]
        if re.fullmatch("[0-9a-f]{96}", signature) and beacon_verify(key, round_, bytes.fromhex(signature)):
            return "relay-valid", {}, bytes.fromhex(signature)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return "relay-invalid", {}, None


def draw(attempt, randomness, list_hash, rows):
    """(tries, value, index) of sections 9 and 10."""
    tag = b"volant-draw-v1" if attempt == 0 else b"volant-alternate-v1-%d-" % attempt
    limit = 2**256 // rows * rows
    i = 0
    while True:
        value = hashlib.sha256(tag + randomness + list_hash + i.to_bytes(8, "big")).digest()
        if int.from_bytes(value, "big") < limit:
            return i + 1, value, int.from_bytes(value, "big") % rows
        i += 1


def collect(paths):
    """The pack of the given paths: one archive, one folder, or files."""
    pack = Pack()
    if len(paths) == 1 and os.path.isdir(paths[0]):
        pack.complete = True
        for name in sorted(os.listdir(paths[0])):
            pack.add(name, os.path.join(paths[0], name))
    elif len(paths) == 1 and os.path.isfile(paths[0]) and (paths[0].endswith(".zip") or zipfile.is_zipfile(paths[0])):
        pack.add_archive(paths[0])
    else:
        for path in paths:
            pack.add(os.path.basename(path), path)
    return pack


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="verify-draw.py",
        description="Checks a draw of the protocol draw-v1 from its files alone.",
        epilog="Exit code: 0 the draw passed; 1 a step failed; 2 wrong use; 3 nothing failed, but a step could not be made, or "
        "a relay has the round of a beacon that is said to be silent; 4 the draw was validly cancelled: nothing failed, and "
        "nobody wins.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="an evidence pack (.zip), a folder, or files of one draw")
    parser.add_argument("--checkpoint", action="append", default=[], metavar="FILE", help="checkpoints that you kept")
    parser.add_argument("--policy", metavar="FILE", help="the witnesses that you trust, in place of those of the terms")
    parser.add_argument("--terms-hash", metavar="HASH", help="the terms hash that you kept")
    parser.add_argument("--list-hash", metavar="HASH", help="the list hash that you kept")
    parser.add_argument("--ticket", metavar="LINK", help="the proof link of your ticket")
    parser.add_argument(
        "--ask-beacon", action="store_true", help="use the network: ask relays of drand for the rounds of this draw"
    )
    parser.add_argument("--relay", action="append", metavar="ADDRESS", help="ask this relay instead, not those of drand")
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the sentences")
    options = parser.parse_args(arguments)
    for path in options.files + options.checkpoint + ([options.policy] if options.policy else []):
        if not os.path.exists(path):
            parser.error("there is no %s" % shown(path))
    for hash_ in (options.terms_hash, options.list_hash):
        if hash_ is not None and not re.fullmatch("[0-9a-f]{64}", hash_):
            parser.error("a hash is 64 digits from 0 to 9 and a to f")
    for relay in options.relay or ():
        if not re.fullmatch(r"https?://[!-~]+", relay):
            parser.error("the address of a relay begins with https:// or http://")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        policy = read_policy(options.policy) if options.policy else None
    except Fault as fault:
        parser.error(fault.text("en"))
    verification = verify(options.files, options.checkpoint, options.terms_hash, options.list_hash, options.ticket, policy)
    if options.ask_beacon and verification.terms:
        is_public = verification.terms["beacon-chain"] == QUICKNET["beacon-chain"]
        verification.ask_beacon(options.relay or (RELAYS if is_public else ()))
    if options.json:
        print(json.dumps(verification.as_json(options.language), ensure_ascii=False, indent=2))
    else:
        verification.print(options.language)
    return verification.exit_code()


def read_policy(path):
    """A policy of the reader's own, with comments in any script, whose last line may lack its end."""
    data, name = read_file(path, FILE_LIMIT), os.path.basename(path)
    data = data if data.endswith(b"\n") else data + b"\n"
    check_bytes(data, name, rb"[\0-\x08\x0b-\x1f\x7f]")
    return Policy(data, name)


def verify(paths, kept=(), terms_hash=None, list_hash=None, ticket=None, policy=None):
    """The finished verification of the files at the given paths."""
    try:
        verification = Verification(collect(paths), kept, terms_hash, list_hash, ticket, policy)
    except Fault as fault:
        verification = Verification(Pack())
        verification.states = dict.fromkeys(STEPS, "skipped")
        verification.states["pack"] = "failed"
        verification.faults = dict({step: [] for step in STEPS}, pack=[fault])
        verification.skips = {step: Skipped("needs", needed="pack") for step in STEPS[1:]}
        return verification
    verification.run()
    return verification


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except MemoryError:
        print("verify-draw.py: not enough memory", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
