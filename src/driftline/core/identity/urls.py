"""URLs: which may be visited, and which parts of them identify a thing."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from driftline.errors import BadUrl

MAX_LENGTH = 2_048
_MAX_RAW_LENGTH = 4 * MAX_LENGTH  # of a URL before tracking is removed

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]|%00")
_UNESCAPED = "".join(chr(code) for code in range(0x21, 0x7F))  # characters that are not escaped
_PORT = re.compile(r"^(http://[^/:]+):80(?=/)|^(https://[^/:]+):443(?=/)")
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Parameters that track where a visitor came from.
_TRACKING_NAMES = frozenset(
    "gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ysclid twclid ttclid igshid igsh li_fat_id epik srsltid _ga _gl "
    "_gac mkt_tok vero_id vero_conv wickedid oly_enc_id oly_anon_id rb_clickid s_cid ml_subscriber ml_subscriber_hash "
    "ef_id sc_cid _openstat spm scm _hsenc _hsmi __hssc __hstc __hsfp hsctatracking guccounter guce_referrer "
    "guce_referrer_sig ref_src ref_url cmpid campid trk trkcampaign mibextid __cf_chl_tk __cf_chl_rt_tk qid dib dib_tag "
    "sprefix crid ascsubtag ved ei usg sca_esv sca_upv gs_lcrp gs_lcp trackingid tracking_id lipi refid pvid algo_pvid "
    "algo_exp_id _pos _sid _ss _psq _fid pr_prod_strat pr_rec_id pr_ref_pid pr_rec_pid pr_seq "
    "clickid click_id irclickid click_key click_sum clickref clicktrackinfo amdata itmmeta itmprp _trkparms _trksid pdp_npi "
    "curpageloguid utparam-url avtc avte avts asb asb2 sp_atk xptdk sp_csd bi_s bi_m bi_c bi_t emission_unit_id _x_sessn_id "
    "ali_refid ali_trackid rafcid iasid bltgh cm_sp cm_re cm_mmc cm_ite athbdg athcpid athpgid athcgid athznid athieid athstid "
    "athguid athancid adsredirect otracker otracker1 jd_pop content-id targeturl _rfl advtoken adcontentid "
    "organic_search_click content_source search_preloaded_img pricecompare channellpjumpargs".split()
)
_TRACKING_PREFIXES = (
    "utm_", "ga_", "mc_", "pk_", "mtm_", "piwik_", "matomo_", "hsa_", "itm_", "stm_", "at_custom", "__s_", "pd_rd_", "pf_rd_",
    "x-amz-", "x-goog-", "_oak_", "refer_page_",
)  # fmt: skip
# Tokens that a server generates, removed if the value looks generated.
_TOKEN_NAMES = frozenset(
    "nonce _wpnonce wpnonce token _token csrf csrf_token csrftoken _csrf xsrf authenticity_token access_token auth_token sig "
    "signature hmac state request_id requestid rid trace_id visitor visitor_id visitorid security form_build_id form_token "
    "form_key cursor expires challenge itok".split()
)
# Signed URLs: parameters that appear together, and those that then do not identify the file.
_SIGNATURES = (
    (
        frozenset(("sig", "se")),
        frozenset("sv st se sr sp sig spr sip si ss srt skoid sktid skt ske sks skv sdd saoid scid".split()),
    ),
    (frozenset(("sig", "sv")), frozenset("sv sr sp sig spr sip si ss srt".split())),
    (
        frozenset(("signature", "expires")),
        frozenset("signature expires awsaccesskeyid googleaccessid ossaccesskeyid keyname".split()),
    ),
    (frozenset(("signature", "key-pair-id")), frozenset(("signature", "expires", "policy", "key-pair-id"))),
    (frozenset(("ex", "is", "hm")), frozenset(("ex", "is", "hm"))),
    (
        frozenset(("oh", "oe")),
        frozenset("oh oe ccb stp _nc_cat _nc_sid _nc_ohc _nc_oc _nc_zt _nc_ht _nc_gid _nc_ss edm efg".split()),
    ),
    (frozenset(("x-expires", "x-signature")), frozenset(("x-expires", "x-signature", "refresh_token", "shp", "shcp"))),
)
# Cache busters, removed if the value looks generated.
_CACHE_NAMES = frozenset(
    "_ cb cachebust cachebuster cache_bust nocache no_cache rand random rnd ts timestamp _t t bust".split()
)
_MADE_UP = re.compile(r"\d{9,}|0?\.\d{6,}|[0-9a-f]{8,}|(?=.*\d)[0-9A-Za-z_-]{12,}")
# Session ids; the short names only if the value looks like one.
_SESSION_NAMES = frozenset(
    "phpsessid jsessionid sessionid session_id aspsessionid cfid cftoken oscsid zenid xtcsid p_auth".split()
)
_SESSION_SHORT = frozenset("sid s session sess".split())
_SESSION_VALUE = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[0-9A-Za-z,_-]{20,}")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*|/ref=[\w.-]*/?$", re.IGNORECASE)
# A link to a path, which needs only what is before it in the page's address; a path with dots or empty parts needs more.
_PLAIN_PATH = re.compile(r"(?!.*/[/.])/[\w~%+/.,:@!&=-]*(?:\?[\w~%+/.,:@!&=-]+)?")
_ORIGIN = re.compile(r"https?://[a-zA-Z0-9.:_-]+(?=[/?#]|\Z)")
_PLAIN_ORIGIN = re.compile(r"https?://[a-z0-9._-]+(?::\d{1,4})?/")
_NEEDS_CLEANING = re.compile(r"[?#;]|/ref=")
# A generated value: a long hexadecimal number, or letters of both cases mixed with digits.
_RANDOM = re.compile(
    r"(?:[\w.]{1,12}-)?(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f-]{32,}"
    r"|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d\D*\d)[\w.~%+/=-]{24,}"
)
_NAMES_A_THING = re.compile(r"(?:.*[_-])?(?:u?u?id|ids|guid|key|doc|file|list|code|slug|item|sku|q|query|search)")
_WAYS_BACK = frozenset(
    "return return_to returnto return_url returnurl redirect redirect_to redirect_uri redirect_url next continue dest "
    "destination goto back backurl back_url from referer referrer url u".split()
)
# A `ref` that names the list and position of the link: sr_gallery-1-3.
_PLACE = re.compile(r"(?:sr|lp|plp|hp|nav|cat|search|shop|listing|related|similar|reco?|home)[-_][\w-]*")
# Scripts, styles and fonts: a version parameter there is a cache buster too.
_ASSET = re.compile(r"\.(?:js|mjs|css|png|jpe?g|gif|webp|avif|svg|ico|woff2?|ttf|mp4|webm)$", re.IGNORECASE)
_ASSET_VERSIONS = frozenset("v ver version rev r h hash m mtime modified d date updated c".split())

# Second-level labels of country domains; enough to tell shops apart without the public suffix list.
_SECOND_LEVEL = frozenset("ac co com edu gob gov gouv govt id ind ltd me mil ne net nom or org plc sch blogspot github".split())


def checked(url: str) -> str:
    """The URL in normal form; raises BadUrl for one that driftline never visits. IP addresses are checked when connecting."""
    text = _clean(url)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise BadUrl("invalid URL", url=text, hint="write it as https://host/path") from None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or text[: len(scheme) + 3].lower() != f"{scheme}://":
        if "://" in text:
            raise BadUrl("only https:// and http:// addresses can be watched", url=text)
        raise BadUrl(f'"{text}" needs https:// or http:// in front', url=text)
    if "@" in parts.netloc:
        raise BadUrl("the URL holds a user name", url=text, hint="send credentials as a header instead")
    host = _host(parts, text)
    netloc = host if port is None or port == _DEFAULT_PORTS[scheme] else f"{host}:{port}"
    path = (parts.path or "/").replace(" ", "%20")
    return urlunsplit((scheme, netloc, path, parts.query.replace(" ", "%20"), ""))


def _clean(url: str) -> str:
    text = url.strip(" ")
    if len(text) > MAX_LENGTH:
        raise BadUrl("the URL is too long", length=len(text), hint=f"at most {MAX_LENGTH} characters")
    if _FORBIDDEN.search(text):
        raise BadUrl("the URL holds a forbidden character", url=text, hint="no backslash, control character or %00")
    return text


def complete_url(url: str, *, has_fetcher: Callable[[str], bool] = lambda _: False) -> str:
    """Like `checked`, for a URL that a user typed; a scheme may have a fetcher of its own.

    Without a scheme https is assumed, and http of this machine and of bare IPv4 addresses, which have no certificates.
    """
    text = url.strip()
    scheme, separator, _ = text.partition("://")
    if separator and scheme.lower() not in _DEFAULT_PORTS and has_fetcher(scheme.lower()):
        return _clean(text)
    host, _, port = re.split(r"[/?#]", text, maxsplit=1)[0].partition(":")
    if "://" in text or ("." not in host and host != "localhost") or not (port.isdigit() or not port):
        return checked(text)
    try:
        return checked(f"{'http' if host == 'localhost' or _IPV4.fullmatch(host) else 'https'}://{text}")
    except BadUrl:
        return checked(text)  # raises an error that says what is missing


def _host(parts: SplitResult, text: str) -> str:
    """The host in lower-case ASCII; IPv6 literals keep their brackets."""
    host = parts.hostname
    if not host or "%" in unquote(host):
        raise BadUrl("the URL has no host", url=text, hint="write it as https://host/path")
    if ":" in host:
        return f"[{host}]"
    try:
        ascii_host = host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise BadUrl("invalid host name", url=text, hint="check the spelling of the host") from None
    if not re.fullmatch(r"[a-z0-9._-]+", ascii_host):
        raise BadUrl("invalid host name", url=text, hint="check the spelling of the host")
    return ascii_host


def clean(url: str, base: str = "") -> str | None:
    """The absolute URL without tracking, cache-busting or session parameters, and without a fragment; None: it is none."""
    if len(url) > _MAX_RAW_LENGTH:
        return None
    text = url.strip()
    if not text.startswith(("http://", "https://")):
        try:
            text = _joined(base, text)
        except ValueError:
            return None
        if not text[:8].lower().startswith(("http://", "https://")):
            return None
    return text if _PLAIN_ORIGIN.match(text) and not _NEEDS_CLEANING.search(text) else _cleaned(text)


def _joined(base: str, text: str) -> str:
    if _PLAIN_PATH.fullmatch(text) and (origin := _ORIGIN.match(base)):
        return origin[0] + text  # most links of most pages, in a tenth of the time
    return urljoin(base, text).rstrip()  # urljoin drops an empty query, which may leave a space at the end


def _cleaned(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises for one that is no number
    except ValueError:
        return None
    if not parts.hostname:
        return None
    path = _PATH_SESSION.sub("", parts.path).rstrip() or "/"
    query = parts.query
    if query:
        asset = _ASSET.search(path) is not None
        pairs = [pair for pair in query.split("&") if pair]
        signed = _signing({pair.partition("=")[0].lower() for pair in pairs})
        query = "&".join(
            pair for pair in pairs if pair.partition("=")[0].lower() not in signed and not _is_noise(pair, asset=asset)
        )
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, query, ""))


def _signing(names: set[str]) -> frozenset[str]:
    """The parameters of a signed URL that only grant access, recognized by names that appear together."""
    return frozenset(name for signs, others in _SIGNATURES if signs <= names for name in others)


def _is_noise(pair: str, *, asset: bool) -> bool:
    """Whether a `name=value` pair does not identify what is shown."""
    name, _, value = pair.partition("=")
    name = name.lower()
    if name in _TRACKING_NAMES or name.startswith(_TRACKING_PREFIXES) or name in _SESSION_NAMES:
        return True
    if name.startswith("aspsessionid") or (name in ("ref", "ref_") and _PLACE.fullmatch(value)):
        return True
    if name in _CACHE_NAMES or name in _TOKEN_NAMES:
        return _MADE_UP.fullmatch(value) is not None or (asset and bool(value))
    if name in _SESSION_SHORT:
        return _SESSION_VALUE.fullmatch(value) is not None
    return asset and (name in _ASSET_VERSIONS or (not value and _MADE_UP.fullmatch(name) is not None))


def plain(url: str) -> str:
    """A clean URL with escaped characters and without the default port."""
    if not url.isascii() or " " in url:
        url = quote(url, safe=_UNESCAPED, errors="replace")
    return without_port(url)


def without_port(url: str) -> str:
    """A clean URL without the default port."""
    return _PORT.sub(lambda found: found[1] or found[2], url) if url.count(":") > 1 else url


def without_random(url: str) -> str:
    """A clean URL without generated parameters, with the addresses inside others cleaned, and the parameters sorted."""
    path, mark, query = url.partition("?")
    if not mark:
        return url
    kept = sorted((pair for pair in map(_without_random, query.split("&")) if pair), key=_parameter)
    return f"{path}?{'&'.join(kept)}" if kept else path


def _parameter(pair: str) -> str:
    return pair.partition("=")[0]  # parameters with the same name keep their order


def _without_random(pair: str) -> str:
    name, mark, value = pair.partition("=")
    low = name.lower()
    if low in _WAYS_BACK and ("%3f" in value.lower() or "?" in value):
        way, _, inner = unquote(value).partition("?")
        kept = "&".join(one for one in inner.split("&") if one and not _is_noise(one, asset=False))
        return f"{name}={way}?{kept}" if kept else f"{name}={way}"
    if len(value) >= 24 and not _NAMES_A_THING.fullmatch(low) and _RANDOM.fullmatch(value):
        return ""
    return pair if mark or name else ""


def same_place(one: str, other: str) -> bool:
    """Whether two URLs in normal form have one origin, or the second only switches from http to https."""
    ours, theirs = urlsplit(one), urlsplit(other)
    moved_up = (ours.scheme, theirs.scheme) == ("http", "https") and ours.port is None and theirs.port is None
    return ours.netloc == theirs.netloc and (ours.scheme == theirs.scheme or moved_up)


def registrable_host(url: str) -> str:
    """The registered domain of a host (shop.example.co.uk: example.co.uk); IP addresses and ports are kept."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    port = "" if parts.port is None else f":{parts.port}"
    labels = host.split(".")
    if ":" in host or labels[-1].isdigit() or len(labels) < 3:
        return host + port
    keep = 3 if len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 2
    return ".".join(labels[-keep:]) + port
