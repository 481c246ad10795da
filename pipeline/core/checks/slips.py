"""M709: Chinese words that a slip of the keyboard turns into others that do not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject

# What is written, and what was meant. What must not stand before or behind a slip would make
# other words of it: 不再于 is 不再 + 于, 原因该 is 原因 + 该. Only what is never right may stand
# here: 登陆 is none, for troops do that, nor is 倒数.
_SLIPS = """
涵数:函数 函娄:函数 阀值:阈值 帐号:账号 帐户:账户 帐单:账单 既使:即使 即然:既然
己经:已经 自已:自己 甚致:甚至 那怕:哪怕 必竟:毕竟 竞然:竟然 决对:绝对 另人:令人 正再:正在
初使化:初始化 反回值:返回值 返会值:返回值 迭带:迭代 递规:递归 编绎:编译 执形:执行 并形:并行
输人:输入 距阵:矩阵 向亮:向量 梯渡:梯度 摸型:模型 摸块:模块 数祖:数组 图象:图像 映象:映像
好象:好像 分辩率:分辨率 辩别:辨别 复盖:覆盖 拷背:拷贝 沾贴:粘贴 粘帖:粘贴 帮定:绑定
邦定:绑定 健值:键值 关健:关键 跟据:根据 根踪:跟踪 标示符:标识符 布署:部署 按装:安装
撤消:撤销 默任:默认 兼溶:兼容 优话:优化 缓从:缓存 从载:重载 从命名:重命名 从新计算:重新计算
从新编译:重新编译 从新运行:重新运行 从新启动:重新启动 从新加载:重新加载
(?<![存现])在次(?![要级数]):再次 (?<![存现])在也(?![有是在将能可会]):再也
(?<![内保缓])存再:存在 (?<![出实发体])现再:现在 再此(?![外后前时次]):在此
(?<![不])再于:在于 (?<![有])所再(?![次]):所在 (?<![原])因该:应该
以经(?![过由常典验]):已经 (?<![之唯统单])一但:一旦
(?<![下序队数系])列如(?![何果下]):例如 (?<![显表])示列:示例
(?<![真])实列(?![出表为]):实例 (?<![一])起使(?![用]):起始 既便(?![于]):即便
(?<![规])模快:模块 (?<![支])付值:赋值 (?<![全])部份:部分 (?<![叫])做为:作为
(?<![以之])内从(?![未不来]):内存
"""
_ROWS = tuple(row.split(":") for row in _SLIPS.split())
_LOOKING_AROUND = re.compile(r"\(\?[^)]*\)")
_SLIP = re.compile("|".join(pattern for pattern, _ in _ROWS))
_MEANT = {_LOOKING_AROUND.sub("", pattern): right for pattern, right in _ROWS}


def find_slip(subject: Subject) -> Iterator[Problem]:
    """Words that are no words."""
    if not any(map(subject.masked_chinese.__contains__, _MEANT)):
        return  # looking for strings is quicker, and settles nearly all
    for match in _SLIP.finditer(subject.masked_chinese):
        yield Problem(
            text=f"“{match[0]}” is a slip of the keyboard",
            hint=f"Write “{_MEANT[match[0]]}”.",
            spans=(match.span(),),
        )
