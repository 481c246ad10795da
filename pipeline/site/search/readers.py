"""Words that readers ask for and translations do not have, by locale.

The glossary says which words translators avoid; these nobody thought of using. A row is what is
asked for and what is looked for then: words of a query all have to be found, in any order.
"""

from __future__ import annotations

Synonyms = tuple[list[str], list[str]]  # as ``pipeline.site.terms.synonyms`` makes them

_READERS: dict[str, list[Synonyms]] = {
    "zh_CN": [
        (["装"], ["安装"]),
        (["求导"], ["自动微分", "梯度"]),
        (["显存"], ["GPU 内存", "设备内存"]),
        (["爆显存", "显存不足", "oom"], ["内存不足", "GPU 内存"]),
        (["多卡", "多 gpu", "单机多卡"], ["多个设备", "分布式数组"]),
        (["多机", "多节点", "多机多卡"], ["多主机", "多进程"]),
        (["报错", "出错"], ["错误"]),
        (["词汇表", "名词解释"], ["术语表"]),
        (["中间值", "中间结果"], ["运行时的值"]),
        (["提速", "调优"], ["性能技巧"]),
        (["性能分析"], ["性能剖析"]),
        (["计时", "测速"], ["基准测试"]),
        (["海森", "海塞", "海森矩阵"], ["黑塞矩阵", "hessian"]),
        (["64 位浮点", "float64"], ["双精度"]),
        (["随机种子"], ["种子"]),
        (["模型并行", "数据并行"], ["并行化"]),
    ],
}


def readers_words(locale: str) -> list[Synonyms]:
    """What the readers of a locale ask for."""
    return _READERS.get(locale, [])
