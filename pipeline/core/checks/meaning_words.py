"""The words that the checks of meaning compare, in English and in Chinese.

Each table was made by reading every sentence of finished documentation in which the two languages
seemed to differ. Whoever adds a word runs the test that injects defects into finished text
(``tests/core/checks/test_check_meaning.py``): it prints what is found and what is a false alarm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NEVER = re.compile(r"(?!)")
_ANYTHING = re.compile("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Words that say the same in both languages, and so stand as often in both.

    ``english`` and ``chinese`` always say it. ``english_too`` and ``chinese_too`` may, in words of
    another kind: "avoid" is a reason for 不, but nothing is missing where 不 is. ``idioms`` are
    Chinese words that hold one of ``chinese`` and may say it or not. ``english_of_too`` are the
    English words that ``chinese_too`` mostly stands for: 时 is "when" and may be "if".
    """

    what: str  # what is said, with its article: "a negation"
    hint: str
    signs: tuple[str, ...]  # a sentence without any of these need not be compared
    english: re.Pattern[str]
    chinese: re.Pattern[str]
    english_too: re.Pattern[str] = _NEVER
    chinese_too: re.Pattern[str] = _NEVER
    english_of_too: re.Pattern[str] = _NEVER
    idioms: re.Pattern[str] = _NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposites:
    """Two words that say the contrary of each other, in both languages."""

    signs: tuple[
        str, ...
    ]  # in a Chinese sentence without any of these there is neither
    english: tuple[re.Pattern[str], re.Pattern[str]]
    chinese: tuple[re.Pattern[str], re.Pattern[str]]


def _words(text: str) -> re.Pattern[str]:
    """Any of several English words in lower case, which white space parts.

    ``\\w*`` stands for any ending, ``_`` for a space.
    """
    alternatives = "|".join(text.split()).replace("_", r"\s+")
    return re.compile(rf"\b(?:{alternatives})(?![a-z])")


def _with(prefix: str, stems: str) -> str:
    """An English word for each of ``stems``, with any ending: ``unable``."""
    return rf" {prefix}(?:{'|'.join(stems.split())})\w*"


def _any(text: str) -> re.Pattern[str]:
    """Any of several Chinese words, which white space parts."""
    return re.compile("|".join(text.split()))


NEGATION = Shared(
    what="a negation",
    hint="See whether the sentence says the contrary of the English.",
    signs=("",),  # most sentences have one
    english=_words(
        r"""
        not(?!_just|_only|_merely|_to_mention) cannot can['’]t \w+n['’]t
        (?<!oh\s)(?<!and\s)no(?!_matter|_longer_than|_less|_more_than|_doubt|_one_else)
        never without nor nothing nobody nowhere none_of rather_than instead_of
        non(?!e)-?\w+ invariant\w* no-\w+ lack\w*
        acyclic stateless opaque agnostic
        """
        + _with(
            "un",
            """
            able safe known used defined mapped signed supported necessar likely related bounded
            aligned sharded batched intend intention stable specified initialized checked affected
            available typed ordered common clear aware important desirab acceptab restricted sound
            reduced replicated implemented changed solved avoidable varying equal even limited
            committed read set
            """,
        )
        + _with(
            "in",
            """
            valid correct compat suffic consis accura stab active access adequa appropr complet
            determ elig exact feas frequ visib convenien conclus divisib
            """,
        )
        + _with("im", "possib mut pur precis practic perfect proper")
        + _with("ir", "regular relev revers")
        + _with("dis", "agree allow joint advant")
    ),
    english_too=_words(
        r"""
        in(?:var|vis|flex|depend|diff|noc|var|equal|effic|conv|activ|tol|conclu)\w*
        un(?!der|it|i[fovq]|til|ix|roll)-?\w+ that_rather none None non neither unlike unless
        fine-\w+ (?<!un)less \w+less(?:ly|ness)? mis\w+ dis\w+ de(?:ny|nied|nies) avoid\w*
        prevent\w* fail\w* exclud\w* otherwise ignor\w* omit\w* omission\w* skip\w* hardly barely
        scarcely little rarely seldom wrong\w* regardless whichever whatever beyond exceed\w*
        out-of-\w+ out_of too hard difficult\w* fixed stop\w* ceas\w* absent absence bad\w*
        poor\w* remov\w* drop\w* forbid\w* prohibit\w* reject\w* refus\w* refrain\w* preclud\w*
        obviat\w* kept stay\w* remain\w* preserv\w* leav\w* left yet alter\w* alternativ\w*
        vary\w* diverg\w* silent\w* opaque\w* transparent\w* fre(?:e|ely) agnostic accident\w*
        surprising\w* subtl\w* ragged lazy lazily hidden whether or more_than longer fine
        any_other broke\w* missing empty outstanding forthcoming work-in-progress overlap\w* as-is
        asynchronous\w* seamless\w* trivial\w* ill-\w+ question\w* wonder\w* draft bug\w* error\w*
        trap\w* defeat\w* naive\w* possib\w* wast\w* harm\w* remember forget\w* be_done_with
        tempted challenge\w* shortcoming\w* flaw\w* weakness\w* separat\w* sparse\w* lose\w* lost
        inadvert\w* stale clean\w* alone from_scratch before\w* happily minimal cut\w* deadlock\w*
        hang\w* spurious\w* contrary opposit\w* oppos\w* when_in_doubt independen\w* no_matter
        partial\w* underutil\w* anymore isolat\w* doubt\w* misses foreign miss\w* foul friction
        not_just not_only repeat\w* as_opposed_to distinct away vanish\w* elid\w* elision hard-\w+
        hence instead_\w+ing (?<=and\s)no more_of
        ambig\w* asymm\w* neglig\w*
        """
    ),
    chinese=_any("不 没 无 未 勿 并非 而非 别再 切忌 毫不"),
    chinese_too=_any(
        """
        (?<![而并])非(?!常) (?<![分区识级特个判类辨])别(?!人|的|处|名) 否 免 避 除 缺
        缺少 误 拒 禁 省略 难 空 失效 零 防 少 以外 之外 None 差 脱 离 跳过 独立 解 直到
        才 撤 取消 匿 与其 代替 取代 改成 改为 与[^，。；]{1,12}不同 转而 多半 最多 不像
        比 乱 多种 唯一 仅 裸
        不管用 不管 不妨 不少 是不是 不到 不大于 不一 互不 不变 无关 不小心 不如 不够
        不熟悉 不随 毫无 无环 未归约 不正确 不完 不足 尚未 不行
        """
    ),
    idioms=_any(
        """
        不过 不仅 不但 不断 不管用 不管 不论 不妨 不久 不得不 无论 无穷 无限 未来 差不多
        了不起 对不起 无关紧要 无疑 不可避免 不止 不少 不亚于 不动点 不等式 各不相同
        互不相同 不相同 有没有 是不是 能不能 会不会 要不要 可不可以 别忘 做不到 收不到
        看不到 得不到 不到 不大于 不小于 不超过 不多于 不少于 不低于 不知不觉 无意中
        若无其事 必不可少 不可或缺 不错 无缝 不一会 时不时 不妨碍 不是没有 没有问题
        不折不扣 为数不多 不时
        拿不准 忍不住 无意义 没多久 不已 不同 不一 互不 不变 不只 不只是 无声 无关
        未命中 独一无二 不例外 不小心 不如 不够 不熟悉 不随 毫无 无环 未归约 说不定
        不正确 不完 不足 尚未 数量不定 不难看 不行
        """
    ),
)

ONLY = Shared(
    what="an “only”",
    hint="See whether the sentence says “only” as the English does.",
    signs=("only", "solely", "exclusively", "只", "仅"),
    english=_words(r"(?<!read-)only solely exclusively"),
    english_too=_words(
        r"""
        just merely simpl[ey]\w* single one sole\w* alone exclusiv\w* mere unless until till not
        no unique\w* limit\w* restrict\w* at_least but is_all all_you\w* all_that\w* barely purely
        as_long_as whenever if any few\w* less except\w* instead rather isolated strictly
        require\w* must need\w* have_to has_to had_to read-only stick confin\w* once so_long_as
        provided_that \w*suffic\w* enough when simply easily easiest can small\w* minimal\w*
        fairly thin relatively necessary two three ten times locally without
        """
    ),
    chinese=_any("(?<!不)(?<!船)只(?![读要需能有]) (?<!不)仅 只有"),
    chinese_too=_any(
        """
        才 光是 只要 只需 只能 唯一 只读 不仅 不只 而已 除非 唯 专 就行 即可 一味 最多
        不过是 至多 完全 全都 不到 前提是
        """
    ),
    idioms=_any("不仅 不只 只不过"),
)

MUST = Shared(
    what="a “must”",
    hint="See whether the sentence obliges as the English does.",
    signs=("must", "mandatory", "obligatory", "必须", "务必", "非得", "不得不"),
    english=_words(r"must(?!_not\b) mandatory obligatory"),
    english_too=_words(
        r"""
        need\w* require\w* necess\w* ha(?:ve|s|d|ving)_to should shall essential\w* oblig\w*
        forc\w* enforc\w* demand\w* manda\w* prerequisit\w* insist\w* ensur\w* make_sure be_sure
        important unless has_got_to critical\w* crucial\w* are_to is_to constraint\w* strict\w*
        always_have cannot_\w+_without imperative vital
        """
    ),
    chinese=_any("必须 务必 非得 不得不"),
    chinese_too=_any(
        """
        必(?!须|要的|不可|然) 都要 就要 还要 也要 要先 必先 (?<![相对适响])应(?![用对])
        得(?=先|用) 总得 一定 肯定 只能 不得 不许 不允许 势必 要把 要由 要有 要让 要与
        想必 不要 禁止 要能 要么 需要 须
        """
    ),
)

IF = Shared(
    what="a condition",
    hint="See whether the sentence holds under the condition of the English.",
    signs=("if",),
    # One is enough: several conditions are often joined.
    english=_words(
        r"(?<!even\s)(?<!as\s)(?<!see\s)(?<!indicating\s)(?<!check\s)(?<!would\s)(?<!especially\s)"
        r"if(?!_we_assume|_we_imagine|_we_consider|_we_first|_necessary|_any|_needed|_possible|_not\b|_and_when|_instead_of|_you_(?:like|prefer|will))\b[\s\S]*"
    ),
    # Chinese makes a condition of many another English phrase.
    english_too=_ANYTHING,
    chinese=_any("如果 倘若 假如 要是 假使 若(?!干) 假设 假定"),
    chinese_too=_any(
        """
        只要 的话 (?<![同及何暂临实延费耗平随到])时(?=[，。；：）会]|$) 时候 只有 一旦
        即便 即使 哪怕 就算 有没有 会不会 能不能 是不是 是否 条件 能否 不管 无论 凡
        万一 可否 要么 当(?=[^前然中作成今做]) 并非 反过来 情况[下）] 希望
        前提 除非 看一下 查看 会看到 一看 遇到任何
        """
    ),
    english_of_too=_words(r"when\w* during upon"),
    idioms=_any("如何 例如 比如 如下 如图 若干"),
)
EXAMPLE = Shared(
    what="a “for example”",
    hint="See whether what is an example in one language is one in the other.",
    signs=("e.g", "eg", "for example", "for instance", "例如", "比如", "譬如", "举例"),
    english=_words(r"e\.?g\.? for_example for_instance(?!_check)"),
    english_too=_words(
        r"""
        example\w* instance\w* such_as like say includ\w* illustrat\w* sample\w* as_in among
        consider imagine etc suppose namely recall i\.e case\w* take
        """
    ),
    chinese=_any("例如 比如 譬如 举例"),
    chinese_too=_any(
        """
        (?<![示举实比特条])例(?![如程外]) 之类 这类 诸如 (?<![好图])像(?!素)
        (?<![相])等(?![于价待式同])
        """
    ),
)

THAT_IS = Shared(
    what="a “that is”",
    hint="See whether what explains in one language does so in the other.",
    signs=("i.e", "ie", "in other words", "也就是说", "换句话说", "换言之", "亦即"),
    english=_words(r"i\.e\.? in_other_words"),
    english_too=_words(
        r"""
        that_is that\S*_is that_means meaning means mean which or so thus hence basically
        essentially effectively to_say equivalent\w* specifically is are viz known call\w*
        refer\w* simply put another_way
        """
    ),
    chinese=_any("也就是说 换句话说 换言之 亦即"),
    chinese_too=_any(
        """
        (?<![随立])即(?![将使可便时]) 也就是 就是 意味着 亦 (?<!不)是指 具体 或者说 一直
        """
    ),
)


_LOOKING_AROUND = re.compile(r"\(\?[^)]*\)")


def _opposites(english: tuple[str, str], chinese: tuple[str, str]) -> Opposites:
    return Opposites(
        signs=tuple(_LOOKING_AROUND.sub("", " ".join(chinese)).split()),
        english=(_words(english[0]), _words(english[1])),
        chinese=(_any(chinese[0]), _any(chinese[1])),
    )


# 行 and 列 alone are part of many words.
_ROW = "(?<![执运并进命可平流举发银试横自不令串另先])行(?![为内进驶动程业首尾号得话不])"
_COLUMN = "(?<![序排队系数下并阵罗前所之])列(?![表出举入为车在])"

OPPOSITES = (
    _opposites(
        (r"inputs? input-\w+", r"outputs? output-\w+ outputt\w+"), ("输入", "输出")
    ),
    _opposites(
        (
            r"rows? row-\w+ rowwise lines? one-line\w*",
            r"columns? cols? column-\w+ columnwise",
        ),
        (_ROW, _COLUMN),
    ),
    _opposites(
        (r"forward\w* forward-\w+ pushforward", r"reverse\w* reverse-\w+ back\w*"),
        ("前向 正向", "反向 后向 倒序"),
    ),
    _opposites(
        ("more greater larger bigger higher", "less fewer smaller lower"),
        ("更多 大于 更大 更高 高于 多于", "更少 小于 更小 更低 低于 少于 较少"),
    ),
    _opposites(
        (r"increas\w* grow\w* rais\w*", r"decreas\w* reduc\w* lower\w* shrink\w*"),
        ("增加 增大 增长", "减少 减小 缩小"),
    ),
    _opposites(
        (r"max\w* largest greatest highest most", r"min\w* smallest least lowest"),
        ("最大 最高 最多", "最小 最低 最少"),
    ),
    _opposites(("at_least", "at_most up_to"), ("至少", "至多 最多")),
    _opposites((r"fast\w* quick\w*", r"slow\w*"), ("快", "慢")),
    _opposites((r"left\w* left-\w+", r"right\w* right-\w+"), ("左", "右")),
    _opposites((r"first initial\w*", r"last final\w*"), ("第一 首个 首次", "最后")),
    _opposites(
        (r"enabl\w* turn\w*_on", r"disabl\w* turn\w*_off"),
        ("启用 打开 开启", "禁用 关闭 停用"),
    ),
    _opposites((r"local\w*", r"global\w*"), ("局部 本地", "全局")),
    _opposites((r"hosts? host-\w+", r"devices? device-\w+"), ("主机", "设备")),
    _opposites((r"load\w*", r"stor\w* sav\w*"), ("加载 读取", "存储 保存 写入")),
    _opposites((r"static\w*", r"dynamic\w*"), ("静态", "动态")),
    _opposites((r"explicit\w*", r"implicit\w*"), ("显式", "隐式")),
    _opposites((r"inner\w*", r"outer\w*"), ("内层", "外层")),
    _opposites(("mutable", "immutable"), ("(?<!不)可变", "不可变")),
    _opposites((r"synchronous\w*", r"asynchron\w* async"), ("同步", "异步")),
    _opposites(("known", "unknown"), ("已知", "未知")),
)
